package dev.blobmark.lab.store.postgres;

import dev.blobmark.lab.server.postgres.OnePostgres;

class EmbeddedPostgresTableIT extends PostgresTableContract {

    EmbeddedPostgresTableIT() {
        super(OnePostgres.embedded(), false);
    }
}
