package dev.blobmark.lab.store.postgres;

import dev.blobmark.lab.server.postgres.OnePostgres;

class InstalledPostgresTableIT extends PostgresTableContract {

    InstalledPostgresTableIT() {
        super(OnePostgres.installed(), true);
    }
}
