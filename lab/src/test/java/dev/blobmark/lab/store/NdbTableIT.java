package dev.blobmark.lab.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.conduct.ListedValues;
import dev.blobmark.lab.conduct.RealCluster;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.server.cluster.NdbCluster;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.UnavailableException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tables of a real cluster. */
@ExtendWith(RealCluster.class)
class NdbTableIT {

    private static final String SCHEMA = "ndb_table_test";
    private static final int ROWS = 50;

    @TempDir
    private Path directory;

    private final NdbCluster cluster;
    private Connection connection;

    NdbTableIT(NdbCluster cluster) {
        this.cluster = cluster;
    }

    @BeforeEach
    void connect() throws SQLException {
        connection = JdbcDriver.connectForLoading(cluster.endpoint(), "");
        sql("CREATE DATABASE " + SCHEMA);
    }

    @AfterEach
    void drop() throws SQLException {
        sql("DROP DATABASE " + SCHEMA);
        connection.close();
    }

    private void sql(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private EncodedValues values(int bytes) throws Exception {
        return EncodedValues.of(ListedValues.random(ROWS, bytes), Codecs.parse("none"), directory, loaded -> {});
    }

    private MySqlTable table(EncodedValues values, String... levels) throws SQLException {
        Levels all = Levels.of(Map.of("layout", "ndb"));
        for (int i = 0; i < levels.length; i += 2) {
            all = all.with(levels[i], levels[i + 1]);
        }
        return MySqlTable.of(connection, SCHEMA, "t", new Design(all), values);
    }

    @ParameterizedTest
    @CsvSource({
        // column, inline, bytes of a value, inline bytes, part bytes, rows that hold all
        "mediumblob, default,  4096,   256,  4000,  0",
        "mediumblob,     fit,  4096,  4096,  4000, 50",
        "mediumblob,     fit, 40000, 29736,  4000,  0",
        "blob,           max,  4096, 29736,  2000, 50",
        "longblob,      24KB, 24577, 24576, 13948,  0",
        "mediumblob,   24577, 24577, 24577,  4000, 50",
    })
    void whatIsNotInlineLiesInAPartsTable(
            String column, String inline, int bytes, int inlineBytes, int partBytes, int inRow) throws Exception {
        EncodedValues values = values(bytes);
        MySqlTable table = table(values, "column", column, "inline", inline);

        assertThat(table.create()).containsEntry("engine", "ndbcluster").containsKey("blob_table_name");
        table.load(values, loaded -> {});
        table.readBack(values);

        assertThat(table.inRow(values)).hasValue(inRow);
        PartsTable parts = table.parts().orElseThrow();
        assertThat(parts.inlineBytes()).isEqualTo(inlineBytes);
        assertThat(parts.partBytes()).isEqualTo(partBytes);
        long memory = table.memoryBytes().orElseThrow();
        // of two replicas
        assertThat(memory).isGreaterThan(2L * ROWS * bytes);
        if (inRow == ROWS) {
            assertThat(parts.memoryBytes()).isLessThan(200_000);
            assertThat(memory - parts.memoryBytes()).isGreaterThan(2L * ROWS * bytes);
        } else {
            assertThat(parts.memoryBytes()).isGreaterThan(2L * ROWS * (bytes - inlineBytes));
        }
        assertThat(table.disk(Optional.empty())).isEqualTo(DiskSpace.UNKNOWN);
    }

    /** Without the SQL mode, the row of key 0 would get another one. */
    @Test
    void rowsOfANumberedTableHaveTheKeysThatAreGiven() throws Exception {
        EncodedValues values = values(300);
        MySqlTable table = table(values, "layout", "ndb:auto-increment");

        assertThat(table.create()).containsEntry("key_extra", "auto_increment");
        table.load(values, loaded -> {});
        table.readBack(values);

        sql("SET SESSION sql_mode = REPLACE(@@SESSION.sql_mode, 'NO_AUTO_VALUE_ON_ZERO', '')");
        sql("DELETE FROM " + SCHEMA + ".t");
        table.load(values, 1, loaded -> {});
        assertThatThrownBy(() -> table.readBack(values))
                .isInstanceOf(WrongValueException.class)
                .hasMessageContaining("row 0 of ndb_table_test.t is missing");
    }

    @Test
    void aVarbinaryHasNoPartsAndIsRefusedWhereItsValuesDoNotFitARow() throws Exception {
        EncodedValues values = values(NdbTable.MAX_VARBINARY);
        MySqlTable table = table(values, "column", "varbinary:fit");

        assertThat(table.create())
                .containsEntry("column_type", "varbinary(29994)")
                .doesNotContainKey("blob_table_name");
        table.load(values, loaded -> {});
        table.readBack(values);
        assertThat(table.parts()).isEmpty();
        assertThat(table.inRow(values)).hasValue(ROWS);

        EncodedValues longer = values(NdbTable.MAX_VARBINARY + 1);
        assertThatThrownBy(() -> table(longer, "column", "varbinary:fit"))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("29995 bytes")
                .hasMessageContaining("0 of 50 values would fit");
        // which is where the cluster's own limit is
        table.drop();
        assertThatThrownBy(() -> new NdbTable(
                                connection,
                                SCHEMA,
                                "t",
                                Layout.FACTOR.parse("ndb"),
                                Column.FACTOR.parse("varbinary(29995)"))
                        .create())
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("1005");
    }

    @Test
    void refusalsAreToldInTheServersOwnWords() throws Exception {
        EncodedValues values = values(100);
        assertThatThrownBy(() -> table(values, "inline", "29984").create())
                .isInstanceOfSatisfying(
                        SQLException.class,
                        refusal -> assertThat(refusal.getErrorCode()).isEqualTo(1005))
                .hasMessageContaining("Record too big");
        assertThatThrownBy(() -> commented("NDB_COLUMN=BLOB_INLIN_SIZE=2").create())
                .isInstanceOfSatisfying(
                        SQLException.class,
                        refusal -> assertThat(refusal.getErrorCode()).isEqualTo(1478))
                .hasMessageContaining("Syntax error in COMMENT modifier")
                .hasMessageContaining("BLOB_INLIN_SIZE");
    }

    /** A comment that is none of NDB's is but a comment, and the table another one than was asked for. */
    @Test
    void whatTheServerPassesOverWithoutAWordIsFoundOut() {
        assertThatThrownBy(() -> commented("NDB_COLUM=BLOB_INLINE_SIZE=2").create())
                .isInstanceOf(DowngradeException.class)
                .hasMessageContaining("inline_size is 256 instead of 2");
    }

    private MySqlTable commented(String comment) {
        Column column = new Column(
                "mediumblob",
                "MEDIUMBLOB",
                1 << 20,
                " NOT NULL COMMENT '" + comment + "'",
                ColumnContent.BYTES,
                Map.of("inline_size", "2"));
        return new NdbTable(connection, SCHEMA, "t", Layout.FACTOR.parse("ndb"), column);
    }
}
