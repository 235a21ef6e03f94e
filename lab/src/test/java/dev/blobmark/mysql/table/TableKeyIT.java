package dev.blobmark.mysql.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.mysql.client.JdbcDriver;
import java.sql.Connection;
import java.sql.Statement;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(OneServer.class)
class TableKeyIT {

    private final OwnServer server;

    TableKeyIT(OwnServer server) {
        this.server = server;
    }

    /** Others delete all rows of a group while a sample is drawn; the table is not empty. */
    @Test
    void rowsThatAreDeletedMeanwhileDoNotMakeATableEmpty() throws Exception {
        UniformRandomProvider random = RandomSource.XO_RO_SHI_RO_128_PP.create(1L);
        try (Connection owner = JdbcDriver.connectForLoading(server.endpoint(), "");
                Statement statement = owner.createStatement()) {
            statement.execute("CREATE DATABASE keys_of");
            statement.execute("CREATE TABLE keys_of.t (a INT, b INT, payload BLOB, PRIMARY KEY (a, b)) ENGINE=InnoDB");
            KeyPositions empty = new KeyPositions(TableKey.of(owner, TableColumn.named("keys_of.t.payload")));
            assertThat(empty.drawn(random)).isEmpty();

            statement.execute("INSERT INTO keys_of.t VALUES (1, 1, 'a'), (2, 1, 'b')");
            KeyPositions key = new KeyPositions(TableKey.of(owner, TableColumn.named("keys_of.t.payload")));
            assertThat(key.drawn(random)).isPresent();
            statement.execute("DELETE FROM keys_of.t"); // the ends of a group are no longer found
            assertThat(key.drawn(random)).isPresent();
            statement.execute("DROP DATABASE keys_of");
        }
    }
}
