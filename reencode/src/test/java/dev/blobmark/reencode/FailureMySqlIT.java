package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;

/** What ends a change on a real MySQL. */
class FailureMySqlIT extends FailureContract {

    @Override
    OwnServer start() {
        return TestServers.mySql(SMALL_TABLESPACE);
    }

    @Override
    boolean isMariaDb() {
        return false;
    }
}
