package dev.blobmark.lab.admission.postgres;

import dev.blobmark.lab.admission.Alarm;
import dev.blobmark.lab.admission.StoreServers;
import dev.blobmark.lab.admission.StoreSession;
import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.server.own.Launch;
import dev.blobmark.lab.server.postgres.PostgresServer;
import dev.blobmark.lab.server.postgres.PostgresServers;
import dev.blobmark.lab.server.postgres.PostgresSettings;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.lab.store.kind.StoreKinds;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Servers of PostgreSQL. */
public final class PostgresStoreServers implements StoreServers {

    @Override
    public StoreKind kind() {
        return StoreKinds.POSTGRESQL;
    }

    @Override
    public String forms() {
        return PostgresServers.FORMS;
    }

    @Override
    public Source embedded() {
        return source(PostgresServers.EMBEDDED_ONE);
    }

    @Override
    public List<String> variables() {
        return List.of("PGPASSWORD", "PGPASSFILE", "HOME");
    }

    @Override
    public Source parse(String text, List<Path> searchPath, Map<String, String> variables) {
        return source(PostgresServers.parse(text, searchPath, variables));
    }

    public static Source source(PostgresServers.Source postgres) {
        return new Source() {
            @Override
            public boolean isRunning() {
                return postgres.isRunning();
            }

            @Override
            public Optional<String> lacking(boolean encrypted) {
                return postgres.lacking(encrypted);
            }

            @Override
            public Opened open(Path cache, Environment environment, Launch launch) {
                return new OpenedPostgres(postgres.open(cache, PostgresSettings.of(environment), launch));
            }
        };
    }

    private record OpenedPostgres(PostgresServer server) implements Opened {

        @Override
        public StoreSession begin(String run, Alarm alarm) {
            return PostgresSession.begin(server, run);
        }

        @Override
        public Optional<Leftover> leftover() throws SQLException {
            return PostgresSession.leftover(server).map(found -> new LeftSchema(server, found));
        }
    }

    private record LeftSchema(PostgresServer server, PostgresSession.Leftover found) implements Leftover {

        @Override
        public String run() {
            return found.run();
        }

        @Override
        public boolean isAlive() {
            return found.isAlive();
        }

        @Override
        public String description() {
            return "schema blobmark with " + found.tables() + " tables";
        }

        @Override
        public String remove() throws SQLException {
            return PostgresSession.remove(server, found) + " tables";
        }
    }
}
