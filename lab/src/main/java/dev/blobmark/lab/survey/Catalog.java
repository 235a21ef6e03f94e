package dev.blobmark.lab.survey;

import dev.blobmark.mysql.admission.TableSession;
import dev.blobmark.mysql.client.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The columns of a server that a survey reads, and those that it leaves out with the reasons. Found in
 * {@code information_schema}, schema by schema, with a pause after each statement as long as it took.
 */
final class Catalog {

    /** Text that can hold fewer bytes is rarely worth compressing: names and the like. */
    static final int MIN_VARCHAR_BYTES = 1_024;

    /** Bytes that can hold fewer are identifiers and digests. */
    static final int MIN_VARBINARY_BYTES = 128;

    /** The time limit of a statement that reads the catalog. */
    private static final int STATEMENT_SECONDS = 10;

    private static final Set<String> OF_THE_SERVER =
            Set.of("mysql", "sys", "information_schema", "performance_schema", "ndbinfo");
    private static final Set<String> TEXT =
            Set.of("tinytext", "text", "mediumtext", "longtext", "json", "varchar", "char");
    private static final Pattern PAGE_COMPRESSION =
            Pattern.compile("(?i).*(\\bcompression=[\"'](?!none).*|page_compressed.?=.?(1|ON|YES).*)");
    private static final int UNKNOWN_VARIABLE = 1193;

    private final List<FoundColumn> columns = new ArrayList<>();
    private final List<LeftOut> leftOut = new ArrayList<>();
    private final TableSession session;
    private final Connection connection;
    private final SurveyOptions options;

    private Catalog(TableSession session, SurveyOptions options) {
        this.session = session;
        this.options = options;
        connection = session.connection();
    }

    /**
     * Reads the catalog.
     *
     * @throws IllegalArgumentException if a schema of the options does not exist
     */
    static Catalog read(TableSession session, SurveyOptions options) throws SQLException, InterruptedException {
        Catalog catalog = new Catalog(session, options);
        catalog.prepare();
        for (String schema : catalog.schemas()) {
            catalog.readSchema(schema);
        }
        // the name decides between columns of tables of the same size
        catalog.columns.sort(Comparator.comparingLong(FoundColumn::tableBytes)
                .reversed()
                .thenComparing(FoundColumn::schema)
                .thenComparing(FoundColumn::table)
                .thenComparing(FoundColumn::column));
        return catalog;
    }

    /** The columns to read, those of the largest table first. */
    List<FoundColumn> columns() {
        return columns;
    }

    List<LeftOut> leftOut() {
        return leftOut;
    }

    private void prepare() throws SQLException {
        Sql.execute(connection, "SET SESSION TRANSACTION READ ONLY");
        boolean isMariaDb = Sql.strings(connection, "SELECT VERSION()").get(0).contains("MariaDB");
        Sql.execute(
                connection,
                isMariaDb
                        ? "SET SESSION max_statement_time = " + STATEMENT_SECONDS
                        : "SET SESSION max_execution_time = " + STATEMENT_SECONDS * 1_000);
        if (!isMariaDb) {
            try { // otherwise MySQL would keep the figures that it reads in a table of its own
                Sql.execute(connection, "SET SESSION information_schema_stats_expiry = 0");
            } catch (SQLException e) {
                if (e.getErrorCode() != UNKNOWN_VARIABLE) { // before MySQL 8.0
                    throw e;
                }
            }
        }
    }

    private List<String> schemas() throws SQLException {
        List<String> all =
                Sql.strings(connection, "SELECT schema_name FROM information_schema.schemata ORDER BY schema_name");
        for (String named : options.schemas()) {
            if (!all.contains(named)) {
                throw new IllegalArgumentException("there is no schema '" + named
                        + "', or the account may not see it; it sees " + String.join(", ", all));
            }
        }
        return all.stream()
                .filter(schema -> !OF_THE_SERVER.contains(schema.toLowerCase(Locale.ROOT)))
                .filter(schema ->
                        options.schemas().isEmpty() || options.schemas().contains(schema))
                .filter(schema -> !options.exclude().contains(schema))
                .toList();
    }

    private record CatalogTable(
            String name, String type, String engine, String rowFormat, String createOptions, long rows, long bytes) {}

    private void readSchema(String schema) throws SQLException, InterruptedException {
        List<CatalogTable> tables;
        try {
            tables = tables(schema);
        } catch (SQLException e) {
            if (isConnectionLost(e)) {
                throw e;
            }
            leftOut.add(new LeftOut(
                    schema,
                    Optional.empty(),
                    Optional.empty(),
                    "its tables could not be listed (" + Survey.disclosed(e.getMessage()) + ")"));
            return;
        }
        for (CatalogTable table : tables) {
            if (!options.exclude().contains(schema + "." + table.name)) {
                Optional<String> reason = reasonToLeaveOut(table);
                if (reason.isPresent()) {
                    leftOut.add(new LeftOut(schema, Optional.of(table.name), Optional.empty(), reason.get()));
                } else if (table.bytes >= options.minTableBytes()) {
                    readOrLeaveOut(schema, table);
                }
            }
        }
    }

    private void readOrLeaveOut(String schema, CatalogTable table) throws SQLException, InterruptedException {
        try {
            readTable(schema, table);
        } catch (SQLException e) {
            if (isConnectionLost(e)) {
                throw e;
            }
            leftOut.add(new LeftOut(
                    schema,
                    Optional.of(table.name),
                    Optional.empty(),
                    "its columns could not be listed (" + Survey.disclosed(e.getMessage()) + ")"));
        }
    }

    /** SQLSTATE class 08: the connection is gone. */
    static boolean isConnectionLost(SQLException e) {
        return String.valueOf(e.getSQLState()).startsWith("08");
    }

    private List<CatalogTable> tables(String schema) throws SQLException, InterruptedException {
        long begin = System.nanoTime();
        List<CatalogTable> tables = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT table_name, table_type, engine, row_format, create_options, table_rows, data_length"
                        + " FROM information_schema.tables WHERE table_schema = ? ORDER BY table_name")) {
            select.setString(1, schema);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    tables.add(new CatalogTable(
                            row.getString(1),
                            row.getString(2),
                            String.valueOf(row.getString(3)),
                            String.valueOf(row.getString(4)),
                            String.valueOf(row.getString(5)),
                            row.getLong(6),
                            row.getLong(7)));
                }
            }
        }
        session.pause(System.nanoTime() - begin, schema);
        return tables;
    }

    private Optional<String> reasonToLeaveOut(CatalogTable table) {
        if (table.type.contains("VIEW")) {
            return Optional.of("a view, which stores nothing");
        }
        if (table.type.contains("SEQUENCE") || table.bytes < options.minTableBytes()) {
            return Optional.empty();
        }
        if (!table.engine.equalsIgnoreCase("InnoDB")) {
            return Optional.of("the engine is " + table.engine + ", and the survey reads InnoDB");
        }
        if (table.createOptions.toLowerCase(Locale.ROOT).contains("partitioned")) {
            return Optional.of("partitioned: each position would be looked up in every partition");
        }
        return Optional.empty();
    }

    private void readTable(String schema, CatalogTable table) throws SQLException, InterruptedException {
        long begin = System.nanoTime();
        try (PreparedStatement select =
                connection.prepareStatement("SELECT column_name, data_type, column_type, character_octet_length, extra"
                        + " FROM information_schema.columns WHERE table_schema = ? AND table_name = ?"
                        + " ORDER BY ordinal_position")) {
            select.setString(1, schema);
            select.setString(2, table.name);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    String dataType = row.getString(2).toLowerCase(Locale.ROOT);
                    if (!isCandidate(dataType, row.getLong(4))) {
                        continue;
                    }
                    String extra = String.valueOf(row.getString(5)).toUpperCase(Locale.ROOT);
                    // DEFAULT_GENERATED is a default that is an expression
                    if (extra.contains("VIRTUAL GENERATED") || extra.contains("STORED GENERATED")) {
                        leftOut.add(new LeftOut(
                                schema,
                                Optional.of(table.name),
                                Optional.of(row.getString(1)),
                                extra.contains("VIRTUAL")
                                        ? "a virtual generated column, which is not stored"
                                        : "a generated column, whose values the server computes"));
                    } else {
                        columns.add(new FoundColumn(
                                schema,
                                table.name,
                                row.getString(1),
                                row.getString(3),
                                TEXT.contains(dataType),
                                table.rows,
                                table.bytes,
                                compression(table, row.getString(3))));
                    }
                }
            }
        }
        session.pause(System.nanoTime() - begin, schema + "." + table.name);
    }

    private static boolean isCandidate(String dataType, long octets) {
        return switch (dataType) {
            case "tinyblob", "blob", "mediumblob", "longblob", "tinytext", "text", "mediumtext", "longtext", "json" ->
                true;
            case "varchar" -> octets >= MIN_VARCHAR_BYTES;
            case "varbinary", "binary" -> octets >= MIN_VARBINARY_BYTES;
            default -> false;
        };
    }

    private static String compression(CatalogTable table, String columnType) {
        if (table.rowFormat.equalsIgnoreCase("Compressed")) {
            return "ROW_FORMAT=COMPRESSED";
        }
        if (PAGE_COMPRESSION.matcher(table.createOptions).matches()) {
            return "page compression";
        }
        return columnType.contains("COMPRESSED") ? "COMPRESSED column" : "";
    }
}
