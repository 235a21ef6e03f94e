package dev.blobmark.lab.store.postgres;

import dev.blobmark.lab.server.postgres.OnePostgres;

class InstalledPostgresTableTest extends PostgresTableContract {

    InstalledPostgresTableTest() {
        super(OnePostgres.installed(), true);
    }
}
