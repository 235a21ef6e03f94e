package dev.blobmark.bench.guest;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerLaunch;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.server.Endpoint;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A tested product, with the statements in which the two differ. */
enum Product {
    MARIADB {
        @Override
        Map<String, String> variables() {
            return Map.of(
                    "innodb_log_file_size",
                    "64M",
                    "log_slave_updates",
                    "ON",
                    // the default ignores a CREATE DATABASE that fails on the replica
                    "slave_ddl_exec_mode",
                    "STRICT");
        }

        @Override
        List<String> forgetHistory() {
            return List.of("RESET MASTER", "SET GLOBAL gtid_slave_pos = ''");
        }

        @Override
        List<String> stopReplicating() {
            return List.of("STOP SLAVE", "RESET SLAVE ALL");
        }

        @Override
        List<String> replicate(Endpoint from, String user, String password) {
            return List.of(
                    "SET GLOBAL gtid_slave_pos = @@gtid_current_pos",
                    "CHANGE MASTER TO MASTER_HOST = '%s', MASTER_PORT = %d, MASTER_USER = '%s', MASTER_PASSWORD = '%s',"
                                    .formatted(from.host(), from.port(), user, password)
                            + " MASTER_CONNECT_RETRY = 1, MASTER_SSL_VERIFY_SERVER_CERT = 0, MASTER_USE_GTID = slave_pos",
                    "START SLAVE");
        }

        @Override
        String replicaStatus() {
            return "SHOW SLAVE STATUS";
        }

        @Override
        String word(String column) {
            return column.replace("Replica_", "Slave_");
        }
    },

    MYSQL {
        @Override
        Map<String, String> variables() {
            return Map.of("innodb_redo_log_capacity", "64M", "gtid_mode", "ON", "enforce_gtid_consistency", "ON");
        }

        @Override
        List<String> forgetHistory() {
            return List.of("RESET BINARY LOGS AND GTIDS");
        }

        @Override
        List<String> stopReplicating() {
            return List.of("STOP REPLICA", "RESET REPLICA ALL");
        }

        @Override
        List<String> replicate(Endpoint from, String user, String password) {
            return List.of(
                    "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '%s', SOURCE_PORT = %d, SOURCE_USER = '%s', SOURCE_PASSWORD = '%s',"
                                    .formatted(from.host(), from.port(), user, password)
                            + " SOURCE_CONNECT_RETRY = 1, SOURCE_RETRY_COUNT = 600, GET_SOURCE_PUBLIC_KEY = 1,"
                            + " SOURCE_AUTO_POSITION = 1",
                    "START REPLICA");
        }

        @Override
        String replicaStatus() {
            return "SHOW REPLICA STATUS";
        }

        @Override
        String word(String column) {
            return column;
        }
    };

    private static final long POOL_BYTES = 64L << 20;

    /** Variables that only this product has. */
    abstract Map<String, String> variables();

    /** Deletes the binary log and the record of replicated transactions. */
    abstract List<String> forgetHistory();

    abstract List<String> stopReplicating();

    abstract List<String> replicate(Endpoint from, String user, String password);

    abstract String replicaStatus();

    /** The product's name of a column of {@link #replicaStatus}, given MySQL's name. */
    abstract String word(String column);

    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Starts a server that writes a binary log.
     *
     * @param mysql base directory of MySQL; MariaDB is the embedded server
     * @param directory in which the server creates its own
     */
    OwnServer start(Path cache, Optional<Path> mysql, int serverId, Path directory) {
        Map<String, String> all = new TreeMap<>(variables());
        all.put("log_bin", "binlog");
        all.put("binlog_format", "ROW");
        all.put("server_id", Integer.toString(serverId));
        all.put("event_scheduler", "OFF");
        all.put("log_bin_trust_function_creators", "ON");
        ServerOptions options =
                ServerOptions.of(POOL_BYTES).with(all).with(new ServerLaunch(Optional.of(directory), List.of()));
        return this == MARIADB
                ? OwnServer.start(cache, options)
                : new Servers.Installed(mysql, List.of()).open(cache, options);
    }
}
