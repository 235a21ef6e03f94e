package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;

/** A filtered log of the MariaDB that comes with Blobmark. */
class FilteredLogMariaDbIT extends FilteredLogContract {

    @Override
    OwnServer start() {
        return TestServers.mariaDb(filtering());
    }

    @Override
    boolean isMariaDb() {
        return true;
    }
}
