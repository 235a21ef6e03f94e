package dev.blobmark.lab.conduct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.blobmark.lab.admission.StoreServers;
import dev.blobmark.lab.admission.StoreSession;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.Store;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Design;
import dev.blobmark.mysql.admission.Alarm;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerIdentity;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StartedServersTest {

    private final List<String> closed = new ArrayList<>();

    private void close(String name, boolean fails) {
        closed.add(name);
        if (fails) {
            throw new IllegalStateException(name);
        }
    }

    private StoreServers.Opened server(String name, boolean fails) {
        return new StoreServers.Opened() {
            @Override
            public Server server() {
                throw new UnsupportedOperationException();
            }

            @Override
            public StoreSession begin(String run, Alarm alarm) {
                throw new UnsupportedOperationException();
            }

            @Override
            public Optional<StoreServers.Leftover> leftover() {
                return Optional.empty();
            }

            @Override
            public void close() {
                StartedServersTest.this.close(name, fails);
            }
        };
    }

    private StoreSession session(String name, boolean fails) {
        return new StoreSession() {
            @Override
            public Store store(String store, Design design, EncodedValues values) {
                throw new UnsupportedOperationException();
            }

            @Override
            public ForkPlan.LoadedTable place(String store, Design design, DiskSpace disk) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void drop(String store) {}

            @Override
            public List<Long> serverPids() {
                return List.of();
            }

            @Override
            public ServerIdentity identity() {
                throw new UnsupportedOperationException();
            }

            @Override
            public boolean isAlive() {
                return true;
            }

            @Override
            public void close() {
                StartedServersTest.this.close(name, fails);
            }
        };
    }

    private StartedServers.StoreServersOpened opened(boolean redisFails, boolean postgresFails) {
        Map<StoreKind, StoreServers.Opened> servers = new LinkedHashMap<>();
        servers.put(StoreKinds.REDIS, server("redis", redisFails));
        servers.put(StoreKinds.POSTGRESQL, server("postgresql", postgresFails));
        Map<StoreKind, StoreSession> sessions = new LinkedHashMap<>();
        sessions.put(StoreKinds.REDIS, session("session on redis", redisFails));
        sessions.put(StoreKinds.POSTGRESQL, session("session on postgresql", postgresFails));
        return new StartedServers.StoreServersOpened(servers, sessions);
    }

    @Test
    void allServersAndSessionsAreClosedAndTheFirstFailureIsReportedWithTheOthers() {
        Throwable failure = catchThrowable(opened(true, true)::close);

        assertThat(closed).containsExactly("redis", "postgresql", "session on redis", "session on postgresql");
        assertThat(failure).isInstanceOf(IllegalStateException.class).hasMessage("redis");
        assertThat(failure.getSuppressed())
                .extracting(Throwable::getMessage)
                .containsExactly("postgresql", "session on redis", "session on postgresql");
    }

    @Test
    void aFailureThatIsNotTheFirstToCloseIsReported() {
        assertThat(catchThrowable(opened(false, true)::close)).hasMessage("postgresql");
        assertThat(closed).hasSize(4);
    }

    @Test
    void aFailureToCloseDoesNotHideThatOfTheRun() {
        Throwable failure = catchThrowable(() -> {
            try (StartedServers.StoreServersOpened servers = opened(true, false)) {
                assertThat(servers.sessions()).hasSize(2);
                throw new IllegalArgumentException("the run");
            }
        });

        assertThat(failure).hasMessage("the run");
        assertThat(failure.getSuppressed()).extracting(Throwable::getMessage).containsExactly("redis");
    }

    @Test
    void withoutFailuresNothingIsThrown() {
        opened(false, false).close();
        assertThat(closed).hasSize(4);
    }
}
