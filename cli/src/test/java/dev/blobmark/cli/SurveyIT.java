package dev.blobmark.cli;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;

/** A survey of a MariaDB. */
class SurveyIT extends SurveyContract {

    @Override
    OwnServer start() throws Exception {
        return OwnServer.start(BlobmarkProcess.CACHE, ServerOptions.of(64 << 20));
    }
}
