package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;

/** The same on another MariaDB, such as 10.11. */
class FilteredLogOtherMariaDbIT extends FilteredLogMariaDbIT {

    @Override
    OwnServer start() {
        return TestServers.otherMariaDb(filtering());
    }
}
