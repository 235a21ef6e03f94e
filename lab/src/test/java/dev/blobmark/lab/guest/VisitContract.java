package dev.blobmark.lab.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.server.ServerIdentity;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What a stay on a server is to be like, whichever server it is. */
@Timeout(60)
abstract class VisitContract {

    private static final Cargo CARGO = new Cargo(3L << 20, 2L << 20, 3L << 20, 2L << 20, 4096);

    private static final Pattern GRANT = Pattern.compile("GRANT (.+? ON \\S+) TO 'guest'@'%'");

    private final Server host;
    private ForeignServer server;
    private Connection owner;
    private Connection connection;
    private List<String> before;
    private final List<String> notes = Collections.synchronizedList(new ArrayList<>());

    VisitContract(Server host) {
        this.host = host;
    }

    @BeforeEach
    void anAccountWithAllItNeeds() throws Exception {
        grant(ForeignServer.ALL);
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
        connection = Driver.connectForLoading(server.endpoint(), "");
    }

    private Visit begin(Terms terms, Cargo cargo) throws SQLException {
        Visit visit = new Visit(server, connection, terms, notes::add);
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

    private Visit begin() throws SQLException {
        return begin(Terms.DEFAULT, CARGO);
    }

    private static Terms named(String schema) {
        return new Terms(Optional.of(schema), OptionalLong.empty(), false, Optional.empty(), LoadLimits.NONE);
    }

    private static Terms limited(String max, String critical) {
        return new Terms(
                Optional.empty(),
                OptionalLong.empty(),
                false,
                Optional.of(LoadLimits.parse(max)),
                LoadLimits.parse(critical));
    }

    private void makeTable(String table) throws SQLException {
        ForeignServer.execute(connection, "CREATE TABLE `blobmark`.`" + table + "` (id INT PRIMARY KEY)");
    }

    private List<String> tables(String schema) throws SQLException {
        return Mark.contents(owner, schema);
    }

    @Test
    void itsSchemaIsThereForAsLongAsItStays() throws SQLException {
        try (Visit visit = begin()) {
            visit.announce("t01");
            makeTable("t01");

            assertThat(tables("blobmark")).containsExactlyInAnyOrder("blobmark_marker", "t01");
            assertThat(Mark.read(owner, "blobmark")).hasValueSatisfying(mark -> {
                assertThat(mark.version()).isEqualTo("0.1");
                assertThat(mark.run()).isEqualTo("the-run");
                assertThat(mark.isSchemaMade()).isTrue();
            });
        }
        assertThat(Mark.exists(owner, "blobmark")).isFalse();
        assertThat(notes).isEmpty();
    }

    /** What each refusal says to grant is granted, and nothing more, until the run is let in. */
    @Test
    void theGrantsItAsksForAreThoseItNeeds() throws Exception {
        List<String> granted = new ArrayList<>(List.of("USAGE ON *.*"));
        grant(granted);
        GuestException refused = catchThrowableOfType(GuestException.class, this::begin);
        assertThat(refused)
                .hasMessageStartingWith("the server guest@127.0.0.1:")
                .hasMessageContaining(
                        "does not allow this run; nothing was written to it:\n  - the account may not CREATE, DELETE,"
                                + " DROP, INSERT, SELECT, UPDATE in the schema blobmark: GRANT CREATE, DELETE, DROP, INSERT, SELECT,"
                                + " UPDATE ON `blobmark`.* TO 'guest'@'%'\n  - the account may not see InnoDB's tables");
        assertThat(Mark.exists(owner, "blobmark")).isFalse();

        addGrants(refused.getMessage(), granted);
        grant(granted);
        try (Visit visit = begin()) {
            assertThat(visit.measuresDisk()).isFalse();
        }
        assertThat(notes)
                .singleElement()
                .asString()
                .startsWith("disk bytes will not be known, since the account may not flush");

        addGrants(notes.remove(0), granted);
        grant(granted);
        try (Visit visit = begin()) {
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

        for (Terms terms : List.of(Terms.DEFAULT, named("blobmark"))) {
            assertThatThrownBy(() -> begin(terms, CARGO))
                    .isInstanceOf(GuestException.class)
                    .hasMessageMatching(
                            "the schema blobmark of .* is not Blobmark's, and nothing in it was touched; choose"
                                    + " another with --schema NAME");
        }
        assertThat(Cleanup.find(owner)).isEmpty();
        assertThat(ForeignServer.strings(owner, "SELECT table_name FROM blobmark.blobmark_marker"))
                .containsExactly("blobmark_marker");
    }

    @Test
    void anEmptySchemaIsTakenOnlyByItsNameAndStays() throws Exception {
        ForeignServer.execute(owner, "CREATE DATABASE blobmark");

        assertThatThrownBy(this::begin)
                .hasMessageEndingWith("or have this one, which is empty, with --schema blobmark");

        try (Visit visit = begin(named("blobmark"), CARGO)) {
            visit.announce("t01");
            makeTable("t01");
        }
        assertThat(Mark.exists(owner, "blobmark")).isTrue();
        assertThat(tables("blobmark")).isEmpty();
    }

    @Test
    void whatOthersPutIntoItsSchemaStays() throws SQLException {
        try (Visit visit = begin()) {
            visit.announce("t01");
            makeTable("t01");
            ForeignServer.execute(owner, "CREATE TABLE blobmark.theirs (id INT)");
        }
        assertThat(tables("blobmark")).containsExactly("theirs");
        assertThat(notes).containsExactly("the schema blobmark stays, since it has what is not Blobmark's: theirs");
    }

    @Test
    void twoRunsDoNotShareASchema() throws SQLException {
        try (Visit first = begin()) {
            first.announce("t01");
            try (Connection other = Driver.connectForLoading(server.endpoint(), "");
                    Visit second = new Visit(server, other, Terms.DEFAULT, notes::add)) {
                assertThatThrownBy(() -> second.begin(
                                ServerIdentity.read(other).variables(), CARGO, "0.1", "second", notes::add))
                        .isInstanceOf(GuestException.class)
                        .hasMessageContaining("another run is at work in the schema blobmark of ");
            }
            assertThat(tables("blobmark")).containsExactly("blobmark_marker");
        }
    }

    /** A killed run is one whose connections end, and with them its lock. */
    @Test
    void whatADeadRunLeftIsFoundAndRemoved() throws SQLException {
        leaveBehind();
        ForeignServer.execute(owner, "CREATE TABLE blobmark.theirs (id INT)");

        assertThat(Cleanup.find(connection)).singleElement().satisfies(leftover -> {
            assertThat(leftover.mark().run()).isEqualTo("killed");
            assertThat(leftover.tables()).containsExactly("t01");
            assertThat(leftover.isAlive()).isFalse();
            assertThat(Cleanup.remove(connection, leftover)).containsExactly("theirs");
        });
        assertThat(tables("blobmark")).containsExactly("theirs");
        assertThat(Cleanup.find(connection)).isEmpty();
    }

    private void leaveBehind() throws SQLException {
        ForeignServer.execute(connection, "CREATE DATABASE blobmark");
        Mark mark = Mark.of("blobmark", "0.1", "killed", true, true);
        mark.write(connection);
        mark.announce(connection, "t01");
        mark.announce(connection, "t02"); // killed before it was made
        makeTable("t01");
    }

    @Test
    void theNextRunTakesOverWhatADeadOneLeft() throws SQLException {
        leaveBehind();

        try (Visit visit = begin()) {
            assertThat(visit.measuresDisk()).isTrue();
            assertThat(tables("blobmark")).containsExactly("blobmark_marker");
        }
        assertThat(notes).containsExactly("removed what run killed had left in the schema blobmark");
        assertThat(Mark.exists(owner, "blobmark")).isFalse();
    }

    @Test
    void aLiveRunsSchemaIsKnownAsSuchAndItsOwnEndSparesAnothers() throws SQLException {
        try (Visit visit = begin()) {
            visit.announce("t01");
            makeTable("t01");
            Cleanup.Leftover live = Cleanup.find(owner).get(0);
            assertThat(live.isAlive()).isTrue();

            Cleanup.remove(owner, live);
            leaveBehind();
        }
        assertThat(tables("blobmark")).contains("t01");
    }

    @Test
    void aReadOnlyServerIsRefused() throws SQLException {
        ForeignServer.execute(owner, "SET GLOBAL read_only = ON");
        try {
            assertThatThrownBy(this::begin)
                    .isInstanceOf(GuestException.class)
                    .hasMessageContaining("it is read-only (read_only=ON): name a server that may be written");
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
            Cargo longer = new Cargo(8 << 20, 8 << 20, 8 << 20, 8 << 20, 2 << 20);
            assertThatThrownBy(() -> begin(Terms.DEFAULT, longer))
                    .hasMessageContaining(
                            "max_allowed_packet is 1024 KB, and the longest value takes 2048 KB: SET GLOBAL"
                                    + " max_allowed_packet = 3145728");
        } finally {
            ForeignServer.execute(owner, "SET GLOBAL max_allowed_packet = " + was);
        }
    }

    @Test
    void moreThanTheUserAllowsIsRefusedWithTheFigure() {
        Terms terms = new Terms(Optional.empty(), OptionalLong.of(1 << 20), false, Optional.empty(), LoadLimits.NONE);

        assertThatThrownBy(() -> begin(terms, CARGO))
                .hasMessageContaining(
                        "the run would load 3072 KB of values (2048 KB at a time), more than --max-bytes allows"
                                + " (1024 KB)");
    }

    @Test
    void tablesThatDoNotFitTheServersDiskAreRefused() {
        long tooLarge = 1L << 60;

        assertThatThrownBy(() -> begin(Terms.DEFAULT, new Cargo(tooLarge, tooLarge, tooLarge, tooLarge, 4096)))
                .hasMessageContaining("its data directory ")
                .hasMessageContaining("and the tables take about 1048576 TB: make room");
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

        try (Visit visit = new Visit(server, connection, Terms.DEFAULT, notes::add)) {
            visit.begin(variables, CARGO, "0.1", "the run", notes::add);
        }
        assertThat(notes).isEmpty();
    }

    @Test
    void aStatusThatTheServerLacksIsRefused() {
        assertThatThrownBy(() -> begin(limited("Threads_runing=25", ""), CARGO))
                .hasMessageStartingWith("the server has no status variable threads_runing with a number");
    }

    /** Only the connections of others count: those of the run, which are in its schema, do not. */
    @Test
    void itWaitsWhileOthersLoadTheServer() throws Exception {
        int others = Integer.parseInt(ForeignServer.strings(owner, "SHOW GLOBAL STATUS LIKE 'Threads_connected'")
                .get(0));
        List<Connection> load = new ArrayList<>();
        try (Visit visit = begin(limited("Threads_connected=" + (others + 5), ""), CARGO)) {
            for (int i = 0; i < 20; i++) {
                load.add(Driver.connectForLoading(server.endpoint(), "blobmark"));
            }
            visit.awaitCalm(() -> {});
            awaitReadings(visit);
            assertThat(visit.disturbance()).isEmpty();

            for (int i = 0; i < 20; i++) {
                load.add(Driver.connectForLoading(server.endpoint(), ""));
            }
            while (visit.disturbance().isEmpty()) {
                Thread.onSpinWait();
            }
            assertThat(visit.disturbance().orElseThrow()).startsWith("threads_connected = ");
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> visit.pauseIfBusy(() -> {}));
            while (notes.isEmpty()) {
                Thread.onSpinWait();
            }
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
        assertThat(notes.get(1)).startsWith("going on: ");
    }

    /** Until the watch has looked at least once at what is there now. */
    private void awaitReadings(Visit visit) throws SQLException {
        String sql = "SHOW GLOBAL STATUS LIKE 'Com_show_status'";
        long seen = Long.parseLong(ForeignServer.strings(owner, sql).get(0));
        // this connection's own statement counts too
        for (long asked = 0; Long.parseLong(ForeignServer.strings(owner, sql).get(0)) - seen < asked + 3; asked++) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aCriticalLoadIsToldOnce() throws Exception {
        CompletableFuture<String> critical = new CompletableFuture<>();
        try (Visit visit = new Visit(server, connection, limited("", "Threads_connected=0"), notes::add)) {
            visit.begin(ServerIdentity.read(connection).variables(), CARGO, "0.1", "run", critical::complete);

            assertThat(critical.get(30, TimeUnit.SECONDS)).matches("threads_connected = \\d+ > 0");
        }
    }

    @Test
    void aServerWithoutRoomIsToldFromOtherFailures() {
        assertThat(Visit.full(new SQLException("The table 't01' is full", "HY000", 1114)))
                .hasValueSatisfying(
                        full -> assertThat(full).hasMessageStartingWith("the server has no more room (The table"));
        assertThat(Visit.full(new SQLException("Error writing file './x' (Errcode: 28 \"No space left on device\")")))
                .isPresent();
        assertThat(Visit.full(
                        new SQLException("Can't create table (errno: 135 \"No more room in record file\")", "", 1005)))
                .isPresent();
        assertThat(Visit.full(new SQLException("Duplicate entry '28' for key 'PRIMARY'", "23000", 1062)))
                .isEmpty();
    }

    @Test
    void schemasOfTheServerAndOddNamesAreNotTaken() {
        for (String name : List.of("mysql", "SYS", "a`b", "a.b", "", "x".repeat(49))) {
            assertThatThrownBy(() -> named(name)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
