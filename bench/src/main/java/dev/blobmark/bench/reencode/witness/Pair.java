package dev.blobmark.bench.reencode.witness;

import dev.blobmark.bench.reencode.Replica;
import dev.blobmark.bench.reencode.random.Seat;
import dev.blobmark.bench.reencode.random.Stage;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.mysql.client.JdbcDriver;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;

/** A server with a replica, for many trials one after the other. */
final class Pair implements AutoCloseable {

    private final Stage stage;
    private final OwnServer second;
    private final Connection onSource;
    private final Connection onReplica;
    private final Replica replica;

    private Pair(Stage stage, OwnServer second) throws SQLException {
        this.stage = stage;
        this.second = second;
        onSource = stage.connect();
        onReplica = JdbcDriver.connectForChanging(second.endpoint());
        replica = Replica.follow(onSource, stage.port(), onReplica, !stage.seat.isMySql);
    }

    /** @param mysql base directory, for a seat of MySQL */
    static Pair open(Seat seat, Optional<Path> mysql, Path cache) throws SQLException {
        Stage stage = Stage.open(seat, mysql, cache);
        try {
            Seat withoutLog = seat.isMySql ? Seat.MYSQL : Seat.MARIADB;
            OwnServer second = Stage.start(withoutLog, mysql, cache, Map.of("server_id", "8"));
            try {
                return new Pair(stage, second);
            } catch (SQLException | RuntimeException e) {
                second.close();
                throw e;
            }
        } catch (SQLException | RuntimeException e) {
            stage.close();
            throw e;
        }
    }

    Trial.Result run(Plan plan) throws SQLException, InterruptedException {
        return Trial.run(stage, onReplica, replica, plan);
    }

    @Override
    public void close() {
        second.close();
        stage.close();
    }
}
