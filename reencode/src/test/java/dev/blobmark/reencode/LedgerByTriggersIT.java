package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import java.util.List;
import java.util.Map;

/** Copies on MariaDB without a binary log. */
class LedgerByTriggersIT extends LedgerContract {

    @Override
    OwnServer start() {
        return TestServers.mariaDb(Map.of());
    }

    @Override
    boolean isByLog() {
        return false;
    }

    @Override
    List<String> delayedCommits() {
        return List.of();
    }

    @Override
    List<String> usualCommits() {
        return List.of();
    }
}
