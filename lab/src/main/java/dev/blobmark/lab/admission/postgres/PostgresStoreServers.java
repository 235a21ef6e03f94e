package dev.blobmark.lab.admission.postgres;

import dev.blobmark.lab.admission.StoreServers;
import dev.blobmark.lab.admission.StoreSession;
import dev.blobmark.lab.server.own.ServerSource;
import dev.blobmark.lab.server.postgres.PostgresServer;
import dev.blobmark.lab.server.postgres.PostgresServers;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.mysql.admission.Alarm;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** PostgreSQL as a kind of store. */
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
    public ServerSource<Opened> embedded() {
        return source(PostgresServers.EMBEDDED);
    }

    @Override
    public List<String> variables() {
        return List.of("PGPASSWORD", "PGPASSFILE", "HOME");
    }

    @Override
    public ServerSource<Opened> parse(String text, List<Path> searchPath, Map<String, String> variables) {
        return source(PostgresServers.parse(text, searchPath, variables));
    }

    /** The source of a run's sessions on a PostgreSQL. */
    public static ServerSource<Opened> source(ServerSource<PostgresServer> postgres) {
        return postgres.map(OpenedPostgres::new);
    }

    private record OpenedPostgres(PostgresServer server) implements Opened {

        @Override
        public StoreSession begin(String run, Alarm alarm) {
            return PostgresSession.begin(server, run);
        }

        @Override
        public Optional<Leftover> leftover() throws SQLException {
            return PostgresSession.leftover(server);
        }
    }
}
