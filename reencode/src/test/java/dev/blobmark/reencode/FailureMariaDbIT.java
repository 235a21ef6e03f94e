package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;

/** What ends a change on the MariaDB that comes with Blobmark. */
class FailureMariaDbIT extends FailureContract {

    @Override
    OwnServer start() {
        return TestServers.mariaDb(SMALL_TABLESPACE);
    }

    @Override
    boolean isMariaDb() {
        return true;
    }
}
