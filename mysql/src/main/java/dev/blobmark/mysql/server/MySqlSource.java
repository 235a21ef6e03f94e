package dev.blobmark.mysql.server;

import java.nio.file.Path;

/** Where a MySQL or MariaDB comes from. */
public interface MySqlSource {

    /**
     * Connects to the server, or starts it.
     *
     * @param cache Blobmark's cache directory
     * @throws ServerException if it cannot be reached or started, with what to do
     */
    Server open(Path cache);
}
