package dev.blobmark.lab.server.cluster;

import dev.blobmark.lab.server.own.Binaries;
import dev.blobmark.lab.server.own.MysqlBinaries;
import dev.blobmark.mysql.server.ServerException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The programs of an installed MySQL NDB Cluster. */
record NdbPrograms(Binaries server, Path management, Path dataNode) {

    /** @throws ServerException if one is missing */
    static NdbPrograms at(Path base) {
        Path absolute = base.toAbsolutePath().normalize();
        Path management = program(absolute, "ndb_mgmd");
        Path dataNode = program(absolute, "ndbmtd");
        Binaries server = Binaries.at(absolute);
        if (!(server instanceof MysqlBinaries)) {
            throw new ServerException(
                    server.server() + " is MariaDB, which has no NDB Cluster. Name the directory of an"
                            + " installed MySQL NDB Cluster.");
        }
        return new NdbPrograms(server, management, dataNode);
    }

    private static Path program(Path base, String name) {
        return Binaries.first(base, List.of("bin/" + name, "sbin/" + name, "libexec/" + name))
                .filter(Files::isExecutable)
                .orElseThrow(() -> new ServerException("there is no bin/" + name + " in " + base
                        + ": --server ndb:DIR needs the directory of an installed MySQL NDB Cluster, with bin/ndb_mgmd,"
                        + " bin/ndbmtd and bin/mysqld."));
    }
}
