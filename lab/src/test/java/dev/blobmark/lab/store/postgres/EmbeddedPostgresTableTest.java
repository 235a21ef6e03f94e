package dev.blobmark.lab.store.postgres;

import dev.blobmark.lab.server.postgres.OnePostgres;

class EmbeddedPostgresTableTest extends PostgresTableContract {

    EmbeddedPostgresTableTest() {
        super(OnePostgres.embedded(), false);
    }
}
