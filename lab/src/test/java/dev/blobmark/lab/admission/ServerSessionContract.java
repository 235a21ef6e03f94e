package dev.blobmark.lab.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.blobmark.lab.conduct.Waiting;
import dev.blobmark.lab.plan.LoadVolume;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.admission.LoadLimits;
import dev.blobmark.mysql.admission.ServerFailure;
import dev.blobmark.mysql.admission.ToleratedLoad;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What a stay on a server is to be like, whichever server it is. */
@Timeout(60)
abstract class ServerSessionContract {

    private static final LoadVolume CARGO = new LoadVolume(3L << 20, 2L << 20, 3L << 20, 2L << 20, 4096);

    private static final Pattern GRANT = Pattern.compile("GRANT (.+? ON \\S+) TO 'guest'@'%'");

    private final Server host;
    private ForeignServer server;
    private Connection owner;
    private Connection connection;
    private List<String> before;
    private final List<String> notes = Collections.synchronizedList(new ArrayList<>());

    ServerSessionContract(Server host) {
        this.host = host;
    }

    @BeforeEach
    void anAccountWithAllItNeeds() throws Exception {
        grant(ForeignServer.documented(host));
        before = server.state();
        owner = server.owner();
    }

    @AfterEach
    void nothingOfTheOwnersHasChanged() throws SQLException {
        connection.close();
        for (String schema : List.of("blobmark", "given")) {
            ForeignServer.execute(owner, "DROP DATABASE IF EXISTS " + schema);
        }
        owner.close();
        assertThat(server.state()).isEqualTo(before);
    }

    private void grant(List<String> grants) throws SQLException, IOException {
        if (connection != null) {
            connection.close();
        }
        server = ForeignServer.of(host, grants);
        connection = JdbcDriver.connectForLoading(server.endpoint(), "");
    }

    private ServerSession begin(RunLimits terms, LoadVolume cargo) throws SQLException {
        ServerSession visit = new ServerSession(server, connection, terms, notes::add);
        try {
            visit.begin(
                    ServerIdentity.read(connection).variables(),
                    cargo,
                    "0.1",
                    "the run",
                    over -> notes.add("critical: " + over));
            return visit;
        } catch (RuntimeException e) {
            visit.close();
            throw e;
        }
    }

    private ServerSession begin() throws SQLException {
        return begin(RunLimits.DEFAULT, CARGO);
    }

    private static RunLimits named(String schema) {
        return new RunLimits(Optional.of(schema), OptionalLong.empty(), false, ToleratedLoad.DEFAULT);
    }

    private static RunLimits limited(String max, String critical) {
        return new RunLimits(
                Optional.empty(),
                OptionalLong.empty(),
                false,
                new ToleratedLoad(Optional.of(LoadLimits.parse(max)), LoadLimits.parse(critical)));
    }

    private void makeTable(ServerSession visit, String table) throws SQLException {
        makeTable(visit.schema(), table, visit.comment(table));
    }

    private void makeTable(String schema, String table, String comment) throws SQLException {
        ForeignServer.execute(
                connection,
                "CREATE TABLE `" + schema + "`.`" + table + "` (id INT PRIMARY KEY) COMMENT='" + comment + "'");
    }

    private List<String> tables(String schema) throws SQLException {
        return Marker.contents(owner, schema);
    }

    @Test
    void itsSchemaIsThereForAsLongAsItStays() throws SQLException {
        try (ServerSession visit = begin()) {
            makeTable(visit, "t01");

            assertThat(tables("blobmark")).containsExactlyInAnyOrder("blobmark_marker", "t01");
            assertThat(Marker.read(owner, "blobmark")).hasValueSatisfying(mark -> {
                assertThat(mark.version()).isEqualTo("0.1");
                assertThat(mark.run()).isEqualTo("the-run");
                assertThat(mark.isSchemaMade()).isTrue();
            });
        }
        assertThat(Marker.exists(owner, "blobmark")).isFalse();
        assertThat(notes).isEmpty();
    }

    /** What each refusal says to grant is granted, and nothing more, until the run is let in. */
    @Test
    void theGrantsItAsksForAreThoseItNeeds() throws Exception {
        List<String> granted = new ArrayList<>(List.of("USAGE ON *.*"));
        grant(granted);
        AdmissionException refused = catchThrowableOfType(AdmissionException.class, this::begin);
        assertThat(refused)
                .hasMessageStartingWith("the server guest@127.0.0.1:")
                .hasMessageContaining(
                        "does not allow this run; nothing was written to it:\n  - the account may not CREATE, DELETE,"
                                + " DROP, INSERT, SELECT, UPDATE in the schema blobmark: GRANT CREATE, DELETE, DROP, INSERT, SELECT,"
                                + " UPDATE ON `blobmark`.* TO 'guest'@'%'\n  - the account may not see InnoDB's tables");
        assertThat(Marker.exists(owner, "blobmark")).isFalse();

        addGrants(refused.getMessage(), granted);
        grant(granted);
        try (ServerSession visit = begin()) {
            assertThat(visit.measuresDisk()).isFalse();
        }
        assertThat(notes).hasSize(4);
        assertThat(notes.get(0)).startsWith("disk bytes will be unknown, because the account may not flush");
        assertThat(notes.get(1)).startsWith("the schema blobmark will remain, empty, because the account may not");
        assertThat(notes.get(2)).startsWith("the account may not see whether this server is a replica");
        assertThat(notes.get(3))
                .startsWith(
                        "the schema blobmark stays: the account may not see whether it contains routines or events:"
                                + " GRANT EXECUTE, EVENT ON `blobmark`.* TO 'guest'@'%'; the next run uses it again, or drop it");
        ForeignServer.execute(owner, "DROP DATABASE blobmark");

        addGrants(String.join("\n", notes), granted);
        notes.clear();
        grant(granted);
        try (ServerSession visit = begin()) {
            assertThat(visit.measuresDisk()).isTrue();
        }
        assertThat(notes).isEmpty();
    }

    private static void addGrants(String text, List<String> grants) {
        for (Matcher grant = GRANT.matcher(text); grant.find(); ) {
            grants.add(grant.group(1));
        }
    }

    @Test
    void anAccountWithoutCreateIsToldWhichGrantItLacks() throws Exception {
        grant(List.of("SELECT, INSERT, UPDATE, DELETE, DROP ON `blobmark`.*", "PROCESS, RELOAD ON *.*"));

        assertThatThrownBy(this::begin)
                .hasMessageContaining(
                        "the account may not CREATE in the schema blobmark: GRANT CREATE ON `blobmark`.* TO 'guest'@'%'");
    }

    @Test
    void aSchemaWithoutTheMarkerIsNotTouched() throws SQLException {
        ForeignServer.execute(owner, "CREATE DATABASE blobmark");
        ForeignServer.execute(owner, "CREATE TABLE blobmark.blobmark_marker (table_name VARCHAR(64)) COMMENT 'mine'");
        ForeignServer.execute(owner, "INSERT INTO blobmark.blobmark_marker VALUES ('blobmark_marker')");

        for (RunLimits terms : List.of(RunLimits.DEFAULT, named("blobmark"))) {
            assertThatThrownBy(() -> begin(terms, CARGO))
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageMatching(
                            "the schema blobmark of .* is not Blobmark's, and nothing in it was touched; choose"
                                    + " another with --schema NAME");
        }
        assertThat(Cleanup.find(owner)).isEmpty();
        assertThat(ForeignServer.strings(owner, "SELECT table_name FROM blobmark.blobmark_marker"))
                .containsExactly("blobmark_marker");
    }

    @Test
    void anEmptySchemaIsUsedAndStays() throws Exception {
        ForeignServer.execute(owner, "CREATE DATABASE blobmark");

        for (RunLimits terms : List.of(RunLimits.DEFAULT, named("blobmark"))) {
            try (ServerSession visit = begin(terms, CARGO)) {
                makeTable(visit, "t01");
            }
        }
        assertThat(Marker.exists(owner, "blobmark")).isTrue();
        assertThat(tables("blobmark")).isEmpty();
    }

    @Test
    void whatOthersPutIntoItsSchemaStays() throws SQLException {
        try (ServerSession visit = begin()) {
            makeTable(visit, "t01");
            ForeignServer.execute(owner, "CREATE TABLE blobmark.theirs (id INT)");
        }
        assertThat(tables("blobmark")).containsExactly("theirs");
        assertThat(notes).containsExactly("the schema blobmark stays: it contains what is not Blobmark's: theirs");
    }

    @Test
    void aServerThatBecomesReadOnlyEndsTheRun() throws SQLException {
        try (ServerSession visit = begin()) {
            ForeignServer.execute(owner, "SET GLOBAL read_only = ON");
            SQLException refused = catchThrowableOfType(SQLException.class, () -> makeTable(visit, "t01"));

            assertThatThrownBy(() -> visit.requireServer("loading t01", refused))
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageContaining("the server is read-only now (")
                    .hasMessageContaining("remain. When it is writable again");
            Cleanup.LeftoverSchema leftover = Cleanup.find(connection).get(0);
            assertThatThrownBy(() -> Cleanup.remove(connection, leftover))
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageStartingWith("the server is read-only now (");
        } finally {
            ForeignServer.execute(owner, "SET GLOBAL read_only = OFF");
        }
        assertThat(notes)
                .singleElement()
                .asString()
                .startsWith("the schema blobmark could not be removed (")
                .endsWith("'blobmark cleanup --schema blobmark' with the same --server removes it");
    }

    /** The run's table in it is the run's all the same, and the rest is not. */
    @Test
    void aSchemaThatSomebodyElseReplacesKeepsWhatIsTheirs() throws SQLException {
        try (ServerSession visit = begin()) {
            ForeignServer.execute(owner, "DROP DATABASE blobmark");
            ForeignServer.execute(owner, "CREATE DATABASE blobmark");
            ForeignServer.execute(owner, "CREATE TABLE blobmark.theirs (id INT)");
            makeTable(visit, "t02");
        }
        assertThat(tables("blobmark")).containsExactly("theirs");
        assertThat(notes).containsExactly("the schema blobmark stays: it no longer has the marker of this run");
    }

    @Test
    void twoRunsDoNotShareASchema() throws SQLException {
        try (ServerSession first = begin()) {
            try (Connection other = JdbcDriver.connectForLoading(server.endpoint(), "");
                    ServerSession second = new ServerSession(server, other, RunLimits.DEFAULT, notes::add)) {
                assertThatThrownBy(() -> second.begin(
                                ServerIdentity.read(other).variables(), CARGO, "0.1", "second", notes::add))
                        .isInstanceOf(AdmissionException.class)
                        .hasMessageContaining("another run is at work in the schema blobmark of ");
            }
            assertThat(tables(first.schema())).containsExactly("blobmark_marker");
        }
    }

    /** A killed run is one whose connections end, and with them its lock. */
    @Test
    void whatADeadRunLeftIsFoundAndRemoved() throws SQLException {
        leaveBehind();
        ForeignServer.execute(owner, "CREATE TABLE blobmark.theirs (id INT)");

        assertThat(Cleanup.find(connection)).singleElement().satisfies(leftover -> {
            assertThat(leftover.marker().run()).isEqualTo("killed");
            assertThat(leftover.tables()).containsExactly("t01");
            assertThat(leftover.isAlive()).isFalse();
            assertThat(leftover.whyItStays()).contains("it contains what is not Blobmark's: theirs");
            assertThat(Cleanup.remove(connection, leftover)).isEqualTo(leftover.whyItStays());
        });
        assertThat(tables("blobmark")).containsExactly("theirs");
        assertThat(Cleanup.find(connection)).isEmpty();
    }

    private void leaveBehind() throws SQLException {
        ForeignServer.execute(connection, "CREATE DATABASE blobmark");
        leaveBehindIn("blobmark");
    }

    private void leaveBehindIn(String schema) throws SQLException {
        Marker mark = Marker.of(connection, schema, "0.1", "killed", true, true);
        mark.write(connection);
        makeTable(schema, "t01", mark.comment("t01"));
    }

    @Test
    void theNextRunTakesOverWhatADeadOneLeft() throws SQLException {
        leaveBehind();

        try (ServerSession visit = begin()) {
            assertThat(visit.measuresDisk()).isTrue();
            assertThat(tables("blobmark")).containsExactly("blobmark_marker");
        }
        assertThat(notes).containsExactly("removed what run killed had left in the schema blobmark");
        assertThat(Marker.exists(owner, "blobmark")).isFalse();
    }

    @Test
    void aLiveRunsSchemaIsKnownAsSuchAndItsOwnEndSparesAnothers() throws SQLException {
        try (ServerSession visit = begin()) {
            makeTable(visit, "t01");
            Cleanup.LeftoverSchema live = Cleanup.find(owner).get(0);
            assertThat(live.isAlive()).isTrue();

            Cleanup.remove(owner, live);
            leaveBehind();
        }
        assertThat(tables("blobmark")).contains("t01");
    }

    /** Who is asked whether to remove what is listed may take long to answer. */
    @Test
    void aRunThatBeginsInALeftoverIsSparedByTheCleanupThatFoundIt() throws SQLException {
        leaveBehind();
        Cleanup.LeftoverSchema found = Cleanup.find(owner).get(0);
        assertThat(Marker.lock(connection, "blobmark")).isTrue();
        assertSpared(found, "blobmark_marker", "t01");
        Marker.unlock(connection, "blobmark");

        try (ServerSession visit = begin()) {
            makeTable(visit, "t02");
            assertSpared(found, "blobmark_marker", "t02");
        }
        assertThat(Marker.exists(owner, "blobmark")).isFalse();
    }

    private void assertSpared(Cleanup.LeftoverSchema found, String... tables) throws SQLException {
        assertThatThrownBy(() -> Cleanup.remove(owner, found))
                .isInstanceOf(AdmissionException.class)
                .hasMessage(
                        "a run has just started in the schema blobmark, so it is not removed: wait for the run's end");
        assertThat(tables("blobmark")).containsExactlyInAnyOrder(tables);
    }

    /** DROP DATABASE would take them, and information_schema does not show them to everybody. */
    @Test
    void routinesAndEventsOfOthersStay() throws Exception {
        List<String> theirs = List.of(
                "PROCEDURE blobmark.p() SELECT 1",
                "FUNCTION blobmark.f() RETURNS INT DETERMINISTIC RETURN 1",
                "EVENT blobmark.e ON SCHEDULE EVERY 1 DAY DISABLE DO SELECT 1",
                "VIEW blobmark.v AS SELECT 1");
        for (String one : theirs) {
            for (List<String> grants : List.of(
                    ForeignServer.documented(host),
                    ForeignServer.documentedWithout(host, "EXECUTE", "EVENT"),
                    ForeignServer.documentedWithout(host, "EVENT"))) {
                grant(grants);
                notes.clear();
                try (ServerSession visit = begin()) {
                    makeTable(visit, "t01");
                    ForeignServer.execute(owner, "CREATE " + one);
                }
                assertThat(notes.get(notes.size() - 1)).startsWith("the schema blobmark stays: ");
                leaveBehindIn("blobmark");
                for (Cleanup.LeftoverSchema leftover : Cleanup.find(connection)) {
                    assertThat(Cleanup.remove(connection, leftover)).isPresent();
                }
                // fails where it is gone
                ForeignServer.execute(owner, "DROP " + one.split("[( ]")[0] + " " + one.split("[( ]")[1]);
                assertThat(tables("blobmark")).isEmpty();
                ForeignServer.execute(owner, "DROP DATABASE blobmark");
            }
        }
    }

    @Test
    void aTableOfThatNameWhichSomebodyElseMadeStays() throws SQLException {
        try (ServerSession visit = begin()) {
            makeTable(visit, "t01");
            makeTable("blobmark", "t02", "");
            makeTable("blobmark", "t03", visit.comment("t01"));
            ForeignServer.execute(owner, "CREATE TABLE blobmark.t04 LIKE blobmark.t01");
            for (String table : List.of("t01", "t02", "t03", "t04", "t05")) {
                visit.drop(table);
            }
            assertThat(tables("blobmark")).containsExactlyInAnyOrder("blobmark_marker", "t02", "t03", "t04");
        }
        assertThat(tables("blobmark")).containsExactlyInAnyOrder("t02", "t03", "t04");
    }

    /** Whoever may create a table may write such a marker; whoever reads it may be able to drop more. */
    @Test
    void aForgedMarkRemovesNothingThatIsNotBlobmarks() throws SQLException {
        ForeignServer.execute(owner, "CREATE DATABASE app");
        try {
            ForeignServer.execute(owner, "CREATE TABLE app.customers (id INT PRIMARY KEY)");
            Marker forged = Marker.of(owner, "app", "0.1", "forged", true, true);
            forged.write(owner);
            ForeignServer.execute(owner, "CREATE DATABASE blobmark");
            ForeignServer.execute(
                    owner, "CREATE TABLE blobmark.mine (id INT) COMMENT='" + forged.comment("mine") + "'");

            assertThat(Cleanup.find(owner)).singleElement().satisfies(leftover -> {
                assertThat(leftover.tables()).isEmpty();
                assertThat(Cleanup.remove(owner, leftover)).contains("it contains what is not Blobmark's: customers");
            });
            assertThat(tables("app")).containsExactly("customers");
            assertThat(tables("blobmark")).containsExactly("mine");
        } finally {
            ForeignServer.execute(owner, "DROP DATABASE app");
        }
    }

    @Test
    void aBrokenCommentIsNoMark() throws SQLException {
        leaveBehind();
        String whole = ForeignServer.strings(
                        owner,
                        "SELECT table_comment FROM information_schema.tables WHERE table_schema = 'blobmark'"
                                + " AND table_name = 'blobmark_marker'")
                .get(0);
        for (String broken : List.of(
                whole.replaceFirst("made \\S+Z", "made yesterday"),
                whole.replaceFirst(", server \\S+,", ","),
                whole.replaceFirst("owner ", "owner x"),
                whole.substring(1),
                "not a " + whole,
                whole + " Or not.",
                "")) {
            assertThat(broken).isNotEqualTo(whole);
            ForeignServer.execute(
                    owner, "ALTER TABLE blobmark.blobmark_marker COMMENT='" + broken.replace("'", "''") + "'");

            assertThat(Cleanup.find(owner)).isEmpty();
            assertThatThrownBy(this::begin).hasMessageContaining("is not Blobmark's, and nothing in it was touched");
        }
        assertThat(tables("blobmark")).containsExactlyInAnyOrder("blobmark_marker", "t01");
    }

    /** Its tables may have come by replication, and its run, whose lock is there, may be alive. */
    @Test
    void theMarkOfAnotherServerIsNeverDead() throws SQLException {
        leaveBehind();
        ForeignServer.execute(
                owner,
                "ALTER TABLE blobmark.blobmark_marker COMMENT='"
                        + ForeignServer.strings(
                                        owner,
                                        "SELECT table_comment FROM information_schema.tables WHERE table_schema ="
                                                + " 'blobmark' AND table_name = 'blobmark_marker'")
                                .get(0)
                                .replaceFirst("server \\S+,", "server 0123-other,")
                                .replace("'", "''")
                        + "'");

        assertThatThrownBy(this::begin)
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining(
                        "the schema blobmark has the marker of run killed, made on another server" + " (0123-other)")
                .hasMessageContaining("DROP TABLE `blobmark`.`t01`, `blobmark`.`blobmark_marker`");
        assertThat(Cleanup.find(connection)).singleElement().satisfies(leftover -> {
            assertThat(leftover.isAlive()).isTrue();
            assertThat(leftover.foreign()).isPresent();
            assertThatThrownBy(() -> Cleanup.remove(connection, leftover)).isInstanceOf(AdmissionException.class);
        });
        assertThat(tables("blobmark")).containsExactlyInAnyOrder("blobmark_marker", "t01");
    }

    /** MySQL folds names of locks and MariaDB does not; both tell names of schemas apart, on this system. */
    @Test
    void schemasThatDifferInCaseAreTwo() throws Exception {
        assertThat(ForeignServer.strings(owner, "SELECT @@lower_case_table_names"))
                .containsExactly("0");
        grant(Stream.concat(
                        ForeignServer.documented(host).stream(),
                        ForeignServer.documented(host).stream().map(grant -> grant.replace("blobmark", "BLOBMARK")))
                .toList());
        try (ServerSession live = begin()) {
            makeTable(live, "t01");
            try (Connection another = JdbcDriver.connectForLoading(server.endpoint(), "");
                    ServerSession visit = new ServerSession(server, another, named("BLOBMARK"), notes::add)) {
                visit.begin(ServerIdentity.read(another).variables(), CARGO, "0.1", "other", notes::add);
                assertThat(visit.schema()).isEqualTo("BLOBMARK");
            }
            assertThat(notes).isEmpty();
            assertThat(tables("blobmark")).containsExactlyInAnyOrder("blobmark_marker", "t01");
            assertThat(Cleanup.find(owner)).singleElement().satisfies(leftover -> {
                assertThat(leftover.marker().schema()).isEqualTo("blobmark");
                assertThat(leftover.isAlive()).isTrue();
            });
        }
    }

    @Test
    void aNameIsFoldedWhereTheServerFoldsIt() {
        assertThat(named("My_Bench").on(Map.of("lower_case_table_names", "1")).schema())
                .isEqualTo("my_bench");
        assertThat(named("My_Bench").on(Map.of("lower_case_table_names", "0")).schema())
                .isEqualTo("My_Bench");
    }

    /** In a GRANT the underscore of a schema's name is a wildcard. */
    @Test
    void advisedGrantsCoverNoOtherSchema() throws Exception {
        List<String> granted = new ArrayList<>(List.of("USAGE ON *.*"));
        grant(granted);
        AdmissionException refused =
                catchThrowableOfType(AdmissionException.class, () -> begin(named("my_bench"), CARGO));
        assertThat(refused).hasMessageContaining("ON `my\\_bench`.* TO 'guest'@'%'");
        addGrants(refused.getMessage(), granted);
        grant(granted);
        begin(named("my_bench"), CARGO).close();
        addGrants(String.join("\n", notes), granted);
        notes.clear();
        ForeignServer.execute(owner, "DROP DATABASE my_bench");
        grant(granted);

        try (ServerSession visit = begin(named("my_bench"), CARGO)) {
            assertThat(visit.measuresDisk()).isTrue();
        }
        assertThat(notes).isEmpty();
        assertThatThrownBy(() -> begin(named("my1bench"), CARGO))
                .hasMessageContaining("the account may not CREATE, DELETE, DROP, INSERT, SELECT, UPDATE in the schema");
    }

    @Test
    void aReadOnlyServerIsRefused() throws SQLException {
        ForeignServer.execute(owner, "SET GLOBAL read_only = ON");
        try {
            assertThatThrownBy(this::begin)
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageContaining("it is read-only (read_only=ON): name a writable server");
        } finally {
            ForeignServer.execute(owner, "SET GLOBAL read_only = OFF");
        }
    }

    @Test
    void tooSmallAPacketIsToldWithTheOneThatIsNeeded() throws SQLException {
        String was = ForeignServer.strings(owner, "SELECT @@GLOBAL.max_allowed_packet")
                .get(0);
        ForeignServer.execute(owner, "SET GLOBAL max_allowed_packet = 1048576");
        try {
            LoadVolume longer = new LoadVolume(8 << 20, 8 << 20, 8 << 20, 8 << 20, 2 << 20);
            assertThatThrownBy(() -> begin(RunLimits.DEFAULT, longer))
                    .hasMessageContaining(
                            "max_allowed_packet is 1024 KB, and the longest value needs 2048 KB: SET GLOBAL"
                                    + " max_allowed_packet = 3145728");
        } finally {
            ForeignServer.execute(owner, "SET GLOBAL max_allowed_packet = " + was);
        }
    }

    @Test
    void moreThanTheUserAllowsIsRefusedWithTheFigure() {
        RunLimits terms = new RunLimits(Optional.empty(), OptionalLong.of(1 << 20), false, ToleratedLoad.DEFAULT);

        assertThatThrownBy(() -> begin(terms, CARGO))
                .hasMessageContaining(
                        "the run would load 3072 KB of values (2048 KB at a time), more than --max-bytes allows"
                                + " (1024 KB)");
    }

    @Test
    void tablesThatDoNotFitTheServersDiskAreRefused() {
        long tooLarge = 1L << 60;

        assertThatThrownBy(() -> begin(RunLimits.DEFAULT, new LoadVolume(tooLarge, tooLarge, tooLarge, tooLarge, 4096)))
                .hasMessageContaining("its data directory ")
                .hasMessageContaining("and the tables need about 1048576 TB: free some space");
    }

    /** As on a ramfs, which tells no size either. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aFileSystemWithoutASizeIsNotFull() throws SQLException, IOException {
        Path sizeless = Path.of("/proc");
        assertThat(Files.getFileStore(sizeless).getTotalSpace()).isZero();
        Map<String, String> variables =
                new TreeMap<>(ServerIdentity.read(connection).variables());
        variables.put("datadir", sizeless.toString());

        try (ServerSession visit = new ServerSession(server, connection, RunLimits.DEFAULT, notes::add)) {
            visit.begin(variables, CARGO, "0.1", "the run", notes::add);
        }
        assertThat(notes).isEmpty();
    }

    @Test
    void aStatusThatTheServerLacksIsRefused() {
        assertThatThrownBy(() -> begin(limited("Threads_runing=25", ""), CARGO))
                .hasMessageStartingWith("the server has no numeric status variable threads_runing");
    }

    /** Only the connections of others count: those of the run, which are in its schema, do not. */
    @Test
    void itWaitsWhileOthersLoadTheServer() throws Exception {
        int others = Integer.parseInt(ForeignServer.strings(owner, "SHOW GLOBAL STATUS LIKE 'Threads_connected'")
                .get(0));
        List<Connection> load = new ArrayList<>();
        try (ServerSession visit = begin(limited("Threads_connected=" + (others + 5), ""), CARGO)) {
            for (int i = 0; i < 20; i++) {
                load.add(JdbcDriver.connectForLoading(server.endpoint(), "blobmark"));
            }
            visit.awaitLowLoad(() -> {});
            awaitReadings();
            assertThat(visit.disturbance()).isEmpty();

            for (int i = 0; i < 20; i++) {
                load.add(JdbcDriver.connectForLoading(server.endpoint(), ""));
            }
            Waiting.until(() -> visit.disturbance().isPresent());
            assertThat(visit.disturbance().orElseThrow()).startsWith("threads_connected = ");
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> visit.pauseIfBusy(() -> {}));
            Waiting.until(() -> !notes.isEmpty());
            assertThat(waiting).isNotDone();
            for (Connection one : load) {
                one.close();
            }
            waiting.get(30, TimeUnit.SECONDS);
            assertThat(visit.disturbance()).isEmpty();
        } finally {
            for (Connection one : load) {
                one.close();
            }
        }
        assertThat(notes).hasSize(2);
        assertThat(notes.get(0)).startsWith("paused: threads_connected = ");
        assertThat(notes.get(1)).startsWith("continuing: ");
    }

    /** Until the watch has looked at least once at what is there now. */
    private void awaitReadings() throws Exception {
        String sql = "SHOW GLOBAL STATUS LIKE 'Com_show_status'";
        long seen = Long.parseLong(ForeignServer.strings(owner, sql).get(0));
        // this connection's own statement counts too
        AtomicLong asked = new AtomicLong();
        Waiting.until(
                () -> Long.parseLong(ForeignServer.strings(owner, sql).get(0)) - seen >= asked.getAndIncrement() + 3);
    }

    @Test
    void aCriticalLoadIsToldOnce() throws Exception {
        CompletableFuture<String> critical = new CompletableFuture<>();
        try (ServerSession visit =
                new ServerSession(server, connection, limited("", "Threads_connected=0"), notes::add)) {
            visit.begin(ServerIdentity.read(connection).variables(), CARGO, "0.1", "run", critical::complete);

            assertThat(critical.get(30, TimeUnit.SECONDS)).matches("threads_connected = \\d+ > 0");
        }
    }

    @Test
    void aServerWithoutRoomIsToldFromOtherFailures() {
        assertThat(ServerFailure.full(new SQLException("The table 't01' is full", "HY000", 1114)))
                .hasValueSatisfying(
                        full -> assertThat(full).hasMessageStartingWith("the server has no space left (The table"));
        assertThat(ServerFailure.full(
                        new SQLException("Error writing file './x' (Errcode: 28 \"No space left on device\")")))
                .isPresent();
        assertThat(ServerFailure.full(
                        new SQLException("Can't create table (errno: 135 \"No more room in record file\")", "", 1005)))
                .isPresent();
        assertThat(ServerFailure.full(new SQLException("Duplicate entry '28' for key 'PRIMARY'", "23000", 1062)))
                .isEmpty();
    }

    @Test
    void schemasOfTheServerAndOddNamesAreNotTaken() {
        for (String name : List.of("mysql", "SYS", "a`b", "a.b", "", "x".repeat(49))) {
            assertThatThrownBy(() -> named(name)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
