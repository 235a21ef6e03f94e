package dev.blobmark.lab.conduct;

import dev.blobmark.lab.admission.ServerSession;
import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.machine.Pin;
import dev.blobmark.lab.server.own.ServerLaunch;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Restartable;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** The MySQL or MariaDB of a study that has stores there, started or connected to, with the run's session on it. */
record OpenedMySql(Server server, Connection connection, ServerSession session) implements AutoCloseable {

    /**
     * @param placed with the directory in which a server that is started has its files
     * @throws dev.blobmark.mysql.server.ServerException if it cannot be started or reached
     */
    static OpenedMySql open(RunContext run, Environment placed, Path place, Pin pin) throws SQLException {
        RunOptions options = run.plan().options();
        Server server = options.server()
                .open(
                        options.cache(),
                        ServerOptions.of(placed)
                                .withTls(run.plan().needsTls())
                                .with(new ServerLaunch(Optional.of(place), pin.serverPrefix())));
        try {
            Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
            return new OpenedMySql(
                    server,
                    connection,
                    new ServerSession(server, connection, options.terms(), run.listener()::noticeIssued));
        } catch (SQLException | RuntimeException e) {
            try {
                server.close();
            } catch (RuntimeException notClosed) {
                e.addSuppressed(notClosed);
            }
            throw e;
        }
    }

    /** @throws IllegalArgumentException if it is not what the study or the options ask for */
    void requireSuitable(Suitability suitability, Pin pin) {
        Suitability.requirePinned(server, pin);
        suitability.requireEncryption(server);
    }

    /**
     * Sets the variables of layouts and records the server.
     *
     * @param name in the manifest
     */
    ServerIdentity record(RunContext run, String name, Environment placed) throws SQLException {
        if (server.isOwn()) {
            placed.setLayoutVariables(connection);
        }
        ServerIdentity identity = ServerIdentity.read(connection);
        if (server instanceof Restartable) {
            placed.verify(identity.variables());
        }
        run.record().addServer(name, server, identity);
        return identity;
    }

    /** @throws dev.blobmark.mysql.admission.AdmissionException if the server does not admit the run */
    void begin(RunContext run, ServerIdentity identity) throws IOException, SQLException {
        session.begin(
                identity.variables(),
                run.plan()
                        .encodedVolume(
                                run.record().schedule(),
                                server,
                                identity,
                                run.scratch(),
                                bytes -> run.stop().check()),
                run.plan().options().program().version(),
                run.record().name(),
                run.stop());
    }

    @Override
    public void close() throws SQLException {
        try (server;
                connection) {
            session.close();
        }
    }
}
