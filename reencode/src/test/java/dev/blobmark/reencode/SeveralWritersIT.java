package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.ThreadHosts.ThreadHost;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.inplace.RemoteWriter;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.table.TableFacts;
import dev.blobmark.reencode.terms.Outcome;
import dev.blobmark.reencode.throttle.Budget;
import dev.blobmark.reencode.verify.Verified;
import java.io.IOException;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The same changes by several writers at the same time, and what is different with them. */
@Timeout(120)
class SeveralWritersIT extends ReencodeContract {

    private static final Target ZSTD = new Target("zstd:3", ALL);
    private static final int ROWS = 300;

    @Override
    OwnServer start() {
        return TestServers.mariaDb(Map.of());
    }

    @Override
    int writers() {
        return 3;
    }

    private static TableColumn column(String table) {
        return TableColumn.named(table + ".payload");
    }

    private State state(String table) throws Exception {
        try (Connection connection = users.connect()) {
            return new StateTable(column(table), "").read(connection).orElseThrow();
        }
    }

    private ThreadHosts hosts(String table, BiConsumer<ThreadHost, String> listener) {
        return new ThreadHosts(users.source(), cache, column(table), listener);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Each writer makes at most one transaction. */
    private void changeSome(String table) throws Exception {
        Reencoding reencoding = reencoding(table + ".payload");
        reencoding.writeOn(hosts(table, (host, event) -> {
            if (event.contains("rows")) {
                reencoding.interrupt();
                await(host.isToldToEnd);
            }
        }));
        assertThat(reencoding.change(Before.RAW, ZSTD).isComplete()).isFalse();
        assertThat(state(table).counts().rows()).isBetween(1L, ROWS - 1L);
    }

    @Test
    void rowsAreDividedIntoMorePartsThanThereAreWriters() throws Exception {
        table("shop.divided");
        assertThat(reencoding("shop.divided.payload").change(Before.RAW, ZSTD).isComplete())
                .isTrue();
        assertThat(state("shop.divided").parts()).isBetween(writers() + 1, 8 * writers());
        assertThat(state("shop.divided").counts().rows()).isEqualTo(ROWS);
    }

    @Test
    void otherHostsDoTheSame() throws Exception {
        Map<String, byte[]> values = table("shop.hosts");
        Reencoding reencoding = reencoding("shop.hosts.payload");
        ThreadHosts hosts = hosts("shop.hosts", (host, event) -> {});
        reencoding.writeOn(hosts);
        Outcome outcome = reencoding.change(Before.RAW, ZSTD);
        assertThat(outcome.isComplete()).isTrue();
        assertThat(outcome.last().changed()).isEqualTo(ROWS);
        assertThat(hosts.started).hasSize(writers());
        Verified verified = reencoding("shop.hosts.payload").verify();
        assertThat(verified.same()).isEqualTo(verified.ranges()).isPositive();
        assertThat(verified.rows()).isEqualTo(ROWS);
        assertThat(reencoding("shop.hosts.payload").revert().isComplete()).isTrue();
        assertSameBytes("shop.hosts", values);
    }

    @Test
    void whatWasBegunBySeveralWritersIsEndedByOne() throws Exception {
        Map<String, byte[]> values = table("shop.handed");
        changeSome("shop.handed");
        Reencoding alone = new Reencoding(users.source(), cache, column("shop.handed"), FAST, "test", SILENT);
        Outcome outcome = alone.change(Before.RAW, ZSTD);
        assertThat(outcome.isComplete()).isTrue();
        assertThat(outcome.last().rows()).isEqualTo(ROWS);
        assertThat(outcome.last().changed()).isEqualTo(ROWS);
        assertThat(new Reencoding(users.source(), cache, column("shop.handed"), FAST, "test", SILENT)
                        .revert()
                        .isComplete())
                .isTrue();
        assertSameBytes("shop.handed", values);
    }

    @Test
    void theWayBackLeavesPartsThatWereNotBegun() throws Exception {
        Map<String, byte[]> values = table("shop.some");
        changeSome("shop.some");
        long done = state("shop.some").counts().rows();
        Outcome outcome = reencoding("shop.some.payload").revert();
        assertThat(outcome.isComplete()).isTrue();
        assertThat(outcome.last().rows()).isEqualTo(done);
        assertSameBytes("shop.some", values);
    }

    /** A host that cannot be reached any more may still be at work, and its transaction may be the last to commit. */
    @Test
    void aHostThatIsCutOffCannotCommitWhatAnotherOneDoes() throws Exception {
        Map<String, byte[]> values = table("shop.cut");
        AtomicBoolean isFirst = new AtomicBoolean(true);
        CountDownLatch others = new CountDownLatch(1);
        Reencoding reencoding = reencoding("shop.cut.payload");
        ThreadHosts hosts = hosts("shop.cut", (host, event) -> {
            if (event.contains("rows") && isFirst.getAndSet(false)) {
                host.cutOff();
                await(others);
                host.process.take(budget());
            } else if (!isFirst.get() && host.events.isEmpty()) { // it was started after others had taken over
                others.countDown();
            }
        });
        reencoding.writeOn(hosts);
        Outcome outcome = reencoding.change(Before.RAW, ZSTD);
        assertThat(outcome.isComplete()).isTrue();
        assertThat(outcome.last().rows()).isEqualTo(ROWS);
        assertThat(outcome.last().changed()).isEqualTo(ROWS);
        await(hosts.started.get(0).ended);
        assertThat(hosts.started.stream()
                        .flatMap(host -> host.events.stream())
                        .filter(event -> event.contains("OTHER"))
                        .toList())
                .singleElement()
                .asString()
                .contains("another process has taken over the change");
        assertThat(reencoding("shop.cut.payload").revert().isComplete()).isTrue();
        assertSameBytes("shop.cut", values);
    }

    /** As when a worker of the cluster is taken out of service. */
    @Test
    void aProcessThatIsEndedByItsHostIsReplaced() throws Exception {
        table("shop.ended");
        AtomicBoolean isFirst = new AtomicBoolean(true);
        Reencoding reencoding = reencoding("shop.ended.payload");
        reencoding.writeOn(hosts("shop.ended", (host, event) -> {
            if (event.contains("rows") && isFirst.getAndSet(false)) {
                host.process.interrupt();
            }
        }));
        Outcome outcome = reencoding.change(Before.RAW, ZSTD);
        assertThat(outcome.isComplete()).isTrue();
        assertThat(outcome.last().changed()).isEqualTo(ROWS);
    }

    @Test
    void hostsThatCannotBeStartedAreAnErrorWithTheReason() throws Exception {
        table("shop.unstarted");
        Reencoding reencoding = reencoding("shop.unstarted.payload");
        reencoding.writeOn(() -> {
            throw new IOException("1 of 3 hosts have joined");
        });
        assertThatThrownBy(() -> reencoding.change(Before.RAW, ZSTD))
                .isInstanceOf(IOException.class)
                .hasMessage("1 of 3 hosts have joined");
    }

    private static String budget() {
        return new RemoteWriter.Order(
                        Optional.empty(), Optional.of(new Budget(100, OptionalLong.empty(), Optional.empty(), false)))
                .toLine();
    }

    @Test
    void nothingIsWrittenWithoutABudget() throws Exception {
        table("shop.idle");
        String owner = "00000000-0000-0000-0000-000000000000";
        StateTable states = new StateTable(column("shop.idle"), owner);
        try (Connection connection = users.connect()) {
            states.create(connection);
            State divided = begun("zstd:3")
                    .restarted(TableFacts.columns(
                            connection,
                            column("shop.idle"),
                            TableKey.of(connection, column("shop.idle")).names()))
                    .divided(List.of(List.of("r150")));
            states.own(connection, divided);
            states.release(connection);
            states.part(0).own(connection, divided.continued(0, Optional.empty()));
        }
        ThreadHost host = hosts("shop.idle", (of, event) -> {}).start();
        host.send(
                new RemoteWriter.Order(Optional.of(new RemoteWriter.Order.Part(0, owner)), Optional.empty()).toLine());
        assertThat(host.receive()).contains(RemoteWriter.Event.READY.toLine());
        TimeUnit.MILLISECONDS.sleep(500);
        assertThat(state("shop.idle").counts().rows()).isZero();
        String event;
        do {
            host.send(budget());
            event = host.receive().orElseThrow();
        } while (!event.equals(RemoteWriter.Event.READY.toLine()));
        assertThat(users.single("SELECT COUNT(*) FROM shop.idle WHERE id <= 'r150'"))
                .isEqualTo(String.valueOf(state("shop.idle").counts().rows()));
        host.close();
        await(host.ended);
    }

    @Test
    void aWriterThatFailsEndsTheOthers() throws Exception {
        table("shop.unreadable");
        users.insert("shop.unreadable", "r150x", new byte[] {(byte) 0xBE, (byte) 0xC1, 68, 1, 2, 3, 4, 5, 6});
        assertThatThrownBy(() -> reencoding("shop.unreadable.payload").change(Before.RAW, ZSTD))
                .isInstanceOf(ReencodeException.class)
                .hasMessageContaining("key r150x");
        users.execute("DELETE FROM shop.unreadable WHERE id = 'r150x'");
        Outcome outcome = reencoding("shop.unreadable.payload").change(Before.RAW, ZSTD);
        assertThat(outcome.isComplete()).isTrue();
        assertThat(outcome.last().rows()).isEqualTo(ROWS);
    }
}
