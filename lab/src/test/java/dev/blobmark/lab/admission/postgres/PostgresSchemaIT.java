package dev.blobmark.lab.admission.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.server.postgres.OnePostgres;
import dev.blobmark.lab.server.postgres.PostgresConnections;
import dev.blobmark.lab.server.postgres.PostgresServer;
import dev.blobmark.lab.store.postgres.PostgresTable;
import dev.blobmark.lab.store.postgres.Toast;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.server.Endpoint;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PostgresSchemaIT {

    private static final long POLL_NANOS = 1_000_000;

    private final PostgresServer server = OnePostgres.embedded();

    private Connection connection;

    @BeforeEach
    void connect() throws SQLException {
        connection = OnePostgres.connect(server);
    }

    @AfterEach
    void drop() throws SQLException {
        sql(connection, "DROP SCHEMA IF EXISTS blobmark CASCADE");
        connection.close();
    }

    private static void sql(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void aRunHasTheSchemaForItselfAndTakesAllOfItAway() throws Exception {
        PostgresSchema schema = PostgresSchema.claim(connection, "my run/1");
        assertThat(schema.run()).isEqualTo("my-run-1");
        assertThat(schema.isThere(connection)).isTrue();
        try (Connection other = OnePostgres.connect(server)) {
            assertThat(PostgresSchema.read(other)).contains(schema);
            assertThat(schema.isAlive(other)).isTrue();
            assertThatThrownBy(() -> PostgresSchema.claim(other, "other"))
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageContaining("another run is at work in this database (my-run-1)");
        }
        new PostgresTable(connection, "t01_x", Toast.PGLZ, schema.comment()).create();
        assertThat(schema.tables(connection)).containsExactly("t01_x");
        schema.release(connection);
        assertThat(PostgresSchema.read(connection)).isEmpty();
        assertThat(schema.isAlive(connection)).isFalse();
        PostgresSchema.claim(connection, "again").release(connection);
    }

    @Test
    void whatAKilledRunLeftIsFoundAndRemoved() throws Exception {
        PostgresSchema left;
        try (Connection killed = OnePostgres.connect(server)) {
            left = PostgresSchema.claim(killed, "killed");
            new PostgresTable(killed, "t01", Toast.PGLZ, left.comment()).create();
            new PostgresTable(killed, "t02", Toast.EXTERNAL, left.comment()).create();
        }
        // the server may take a moment to end the session
        while (left.isAlive(connection)) {
            LockSupport.parkNanos(POLL_NANOS);
        }
        assertThatThrownBy(() -> PostgresSchema.claim(connection, "next"))
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining("belongs to run killed")
                .hasMessageContaining("blobmark cleanup --server postgresql=");
        assertThat(PostgresSchema.read(connection)).contains(left);
        assertThat(left.drop(connection)).isEqualTo(2);
        PostgresSchema.claim(connection, "next").release(connection);
    }

    @Test
    void aSchemaOfSomebodyElseIsLeftAlone() throws Exception {
        sql(connection, "CREATE SCHEMA blobmark");
        sql(connection, "COMMENT ON SCHEMA blobmark IS 'ours'");
        assertThatThrownBy(() -> PostgresSchema.claim(connection, "run"))
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining("a schema blobmark that does not belong to a run");
        sql(connection, "DROP SCHEMA blobmark");
        PostgresSchema.claim(connection, "run").release(connection); // the lock was given back
    }

    @Test
    void aTableOfSomebodyElseInTheSchemaStaysAndIsReported() throws Exception {
        PostgresSchema schema = PostgresSchema.claim(connection, "run");
        new PostgresTable(connection, "t01", Toast.PGLZ, schema.comment()).create();
        sql(connection, "CREATE TABLE blobmark.foreign_table (a int)");
        assertThatThrownBy(() -> schema.release(connection))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("foreign_table");
        assertThat(schema.tables(connection)).isEmpty();
        assertThat(schema.isThere(connection)).isTrue();
    }

    @Test
    void aRoleThatMayNotMakeASchemaHearsWhatToGrantAndAReadOnlyServerIsNotTaken() throws Exception {
        sql(connection, "CREATE ROLE guest LOGIN PASSWORD 'open'");
        Endpoint own = server.endpoint();
        // the server's own rules let in nobody but its role
        try (Connection guest = OnePostgres.connect(server)) {
            sql(guest, "SET ROLE guest");
            sql(guest, "SET default_transaction_read_only = on");
            assertThatThrownBy(() -> PostgresSchema.claim(guest, "run"))
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageContaining("nothing was written to it")
                    .hasMessageContaining("it accepts no writes")
                    .hasMessageContaining("GRANT CREATE ON DATABASE \"postgres\" TO \"guest\"");
        }
        assertThatThrownBy(() -> PostgresConnections.connect(
                        new Endpoint(own.host(), own.port(), "guest", "open"), server.database()))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("no pg_hba.conf entry");
        sql(connection, "GRANT CREATE ON DATABASE postgres TO guest");
        try (Connection guest = OnePostgres.connect(server)) {
            sql(guest, "SET ROLE guest");
            PostgresSchema schema = PostgresSchema.claim(guest, "run");
            PostgresTable table = new PostgresTable(guest, "t", Toast.EXTERNAL, schema.comment());
            table.create();
            assertThat(schema.tables(guest)).isEqualTo(List.of("t"));
            schema.release(guest);
        }
        sql(connection, "REVOKE ALL ON DATABASE postgres FROM guest");
        sql(connection, "DROP ROLE guest");
    }
}
