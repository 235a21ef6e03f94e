package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;

/** A filtered log of a real MySQL. */
class FilteredLogMySqlIT extends FilteredLogContract {

    @Override
    OwnServer start() {
        return TestServers.mySql(filtering());
    }

    @Override
    boolean isMariaDb() {
        return false;
    }
}
