package dev.blobmark.reencode.table;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.table.SqlTokens.Kind;
import dev.blobmark.reencode.table.SqlTokens.Token;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a column of text or JSON becomes in a copy: one of bytes, with all other attributes that it has.
 *
 * @param type of bytes
 * @param attributes as they are written in a definition, without type, character set and default
 * @param defaultHex bytes of the default, in hexadecimal digits; empty if there is none, or it is NULL
 */
public record BytesColumn(String type, List<String> attributes, Optional<String> defaultHex) {

    /** Attributes with the number of tokens that follow them. Those that need more are parsed apart. */
    private static final Map<String, Integer> ATTRIBUTES =
            Map.of("INVISIBLE", 0, "COMPRESSED", 0, "COMMENT", 1, "COLUMN_FORMAT", 1, "STORAGE", 1);

    private static final Set<String> UTF8 = Set.of("_utf8mb4", "_utf8mb3", "_utf8");

    /** MySQL has defaults of bytes since 8.0.13. */
    private static final int DEFAULTS_SINCE = 80_013;

    /**
     * A column with what could not be kept.
     *
     * @param column empty if it is one of bytes already, and stays as it is
     * @param problems reasons why it cannot be made, with the remedies
     */
    public record Planned(Optional<BytesColumn> column, List<String> problems) {}

    /** What is written after the type of a column. */
    private record Written(
            List<String> attributes, Optional<List<Token>> byDefault, List<String> unknown, List<List<Token>> checks) {

        static Written of(TableText.Part column) {
            List<Token> tokens = column.tokens();
            List<String> attributes = new ArrayList<>();
            List<String> unknown = new ArrayList<>();
            List<List<Token>> checks = new ArrayList<>();
            Optional<List<Token>> byDefault = Optional.empty();
            int i = 2; // after name and type
            if (i < tokens.size() && tokens.get(i).isSymbol('(')) {
                i += column.after(i - 1).size();
            }
            while (i < tokens.size()) {
                Token token = tokens.get(i);
                String word = token.text().toUpperCase(Locale.ROOT);
                if (token.isWord("CHARACTER")) {
                    i += 3;
                } else if (token.isWord("COLLATE") || token.isWord("CHARSET")) {
                    i += 2;
                } else if (token.isWord("NOT")
                        && i + 1 < tokens.size()
                        && tokens.get(i + 1).isWord("NULL")) {
                    attributes.add("NOT NULL");
                    i += 2;
                } else if (token.isWord("NULL")) {
                    i++;
                } else if (token.isWord("DEFAULT") || token.isWord("CHECK")) {
                    List<Token> value = value(column, i);
                    if (token.isWord("CHECK")) {
                        checks.add(value);
                    } else {
                        byDefault = Optional.of(value);
                    }
                    i += 1 + value.size();
                } else if (token.kind() == Kind.WORD && ATTRIBUTES.containsKey(word)) {
                    int end = i + ATTRIBUTES.get(word);
                    attributes.add(end == i ? word : word + " " + source(column, tokens.get(end)));
                    i = end + 1;
                } else {
                    unknown.add(token.text());
                    i++;
                }
            }
            return new Written(attributes.stream().sorted().toList(), byDefault, unknown, checks);
        }

        /** A literal has a word before it, a function parentheses after it. */
        private static List<Token> value(TableText.Part column, int place) {
            List<Token> first = column.after(place);
            int end = place + 1 + first.size();
            List<Token> tokens = column.tokens();
            boolean isMore = end < tokens.size()
                    && first.size() == 1
                    && first.get(0).kind() == Kind.WORD
                    && (tokens.get(end).kind() == Kind.STRING || tokens.get(end).isSymbol('('));
            return isMore
                    ? tokens.subList(place + 1, end + column.after(end - 1).size())
                    : first;
        }

        private static String source(TableText.Part column, Token token) {
            int begin = column.tokens().get(0).begin();
            return column.text().substring(token.begin() - begin, token.end() - begin);
        }
    }

    /** Plans a column; reads only. */
    public static Planned plan(Connection connection, TableColumn column) throws SQLException {
        Map<String, String> facts = Sql.row(
                connection,
                "SELECT data_type, character_set_name FROM information_schema.columns WHERE table_schema = ? AND table_name"
                        + " = ? AND column_name = ?",
                column.schema(),
                column.table(),
                column.column());
        if (facts.get("data_type") == null) { // MariaDB has no row of a table that is just being altered
            throw new ReencodeException(
                    column.name(),
                    "the table was changed meanwhile, or is being changed",
                    "if the column is still there, the same command continues");
        }
        Optional<String> type = bytesFor(facts.get("data_type"));
        if (type.isEmpty()) {
            return new Planned(Optional.empty(), List.of());
        }
        TableText.Part part = TableText.read(connection, column).column(column.column());
        Written written = Written.of(part);
        List<String> problems = new ArrayList<>();
        if (!written.unknown().isEmpty()) {
            problems.add("the column has attributes that may be lost when it becomes one of bytes ("
                    + String.join(" ", written.unknown()) + "): remove them first");
        }
        Optional<String> hex = Optional.empty();
        if (written.byDefault().filter(value -> !isNull(value)).isPresent()) {
            hex = literal(written.byDefault().get())
                    .map(text -> facts.get("data_type").equalsIgnoreCase("char") ? text.stripTrailing() : text)
                    .map(text -> List.of(text, facts.get("data_type"), String.valueOf(facts.get("character_set_name"))))
                    .map(of -> unchecked(() -> hex(connection, of.get(0), of.get(1), of.get(2))));
            if (hex.isEmpty()) {
                problems.add("its default is an expression, "
                        + written.byDefault().get().stream().map(Token::text).collect(Collectors.joining(" "))
                        + ", which may give other bytes for a column of bytes: drop the default for the time of the"
                        + " change, or make it a literal");
            } else if (!Definition.isMariaDb(connection) && version(connection) < DEFAULTS_SINCE) {
                problems.add("it has a default, and columns of bytes have none before MySQL 8.0.13: drop the default");
            }
        }
        return new Planned(Optional.of(new BytesColumn(type.get(), written.attributes(), hex)), problems);
    }

    private static int version(Connection connection) throws SQLException {
        var server = connection.getMetaData();
        String[] parts = server.getDatabaseProductVersion().split("[^0-9]+", 4);
        return Integer.parseInt(parts[0]) * 10_000 + Integer.parseInt(parts[1]) * 100 + Integer.parseInt(parts[2]);
    }

    private interface Query {
        String run() throws SQLException;
    }

    private static String unchecked(Query query) {
        try {
            return query.run();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isNull(List<Token> value) {
        return value.size() == 1 && value.get(0).isWord("NULL");
    }

    /** The bytes that the former column stores for a text. */
    private static String hex(Connection connection, String text, String type, String charset) throws SQLException {
        boolean isDocument = type.equalsIgnoreCase("json");
        if (!isDocument && !charset.matches("\\w+")) {
            throw new IllegalArgumentException("'" + charset + "' is not the name of a character set");
        }
        String sql = isDocument
                ? "SELECT HEX(CAST(CAST(? AS JSON) AS CHAR CHARACTER SET utf8mb4)) AS bytes"
                : "SELECT HEX(CONVERT(? USING " + charset + ")) AS bytes";
        return Sql.row(connection, sql, text).get("bytes");
    }

    /** The text of a string, perhaps in parentheses and with a character set; empty for other expressions. */
    private static Optional<String> literal(List<Token> value) {
        List<Token> inner = inner(value);
        Token last = inner.get(inner.size() - 1);
        boolean isText = last.kind() == Kind.STRING
                && (inner.size() == 1
                        || inner.size() == 2
                                && UTF8.contains(inner.get(0).text().toLowerCase(Locale.ROOT)));
        return isText ? Optional.of(last.text()) : Optional.empty();
    }

    private static List<Token> inner(List<Token> value) {
        List<Token> inner = value;
        while (inner.size() > 2 && inner.get(0).isSymbol('(')) {
            inner = inner.subList(1, inner.size() - 1);
        }
        return inner;
    }

    /** The bytes of a default of a column of bytes; empty for NULL; in words for what is none. */
    private static Optional<String> bytes(List<Token> value) {
        if (isNull(value)) {
            return Optional.empty();
        }
        List<Token> inner = inner(value);
        Token first = inner.get(0);
        if (inner.size() == 1 && first.text().matches("0x[0-9A-Fa-f]*")) {
            return Optional.of(first.text().substring(2).toUpperCase(Locale.ROOT));
        }
        if (inner.size() == 2 && first.isWord("X")) {
            return Optional.of(inner.get(1).text().toUpperCase(Locale.ROOT));
        }
        return Optional.of(literal(value)
                .map(text -> HexFormat.of().withUpperCase().formatHex(text.getBytes(StandardCharsets.UTF_8)))
                .orElse("an expression"));
    }

    /** The definition after the name. */
    public String sql(boolean isMariaDb) {
        String isCompressed = attributes.contains("COMPRESSED") ? " COMPRESSED" : "";
        String others = attributes.stream()
                .filter(attribute -> !attribute.equals("COMPRESSED"))
                .map(attribute -> " " + attribute)
                .collect(Collectors.joining());
        String literal = defaultHex
                .filter(hex -> !hex.isEmpty())
                .map(hex -> "X'" + hex + "'")
                .orElse("''");
        String byDefault = defaultHex.isEmpty() ? "" : " DEFAULT " + (isMariaDb ? literal : "(" + literal + ")");
        return type + isCompressed + others + byDefault;
    }

    /** Lines of words about what another column has otherwise. */
    List<String> differences(TableText.Part made) {
        Written written = Written.of(made);
        Optional<String> theirs = written.byDefault().flatMap(BytesColumn::bytes);
        List<String> differences = new ArrayList<>();
        if (!made.tokens().get(1).isWord(type)
                || !written.attributes().equals(attributes)
                || !written.unknown().isEmpty()
                || !written.checks().isEmpty()
                || !theirs.equals(defaultHex)) {
            differences.add("the column is " + made.text() + " in the new table, and should be " + type + " "
                    + String.join(" ", attributes)
                    + defaultHex.map(hex -> " DEFAULT X'" + hex + "'").orElse(""));
        }
        return differences;
    }

    /** The type of bytes for one of text; empty if it is one of bytes already. */
    public static Optional<String> bytesFor(String type) {
        return switch (type.toLowerCase(Locale.ROOT)) {
            case "tinytext", "text", "char", "varchar" -> Optional.of("MEDIUMBLOB");
            case "mediumtext" -> Optional.of("MEDIUMBLOB");
            case "longtext", "json" -> Optional.of("LONGBLOB");
            default -> Optional.empty();
        };
    }

    /** The longest value of the type of bytes for one of text; empty if it is one of bytes already. */
    public static Optional<Long> maxBytes(String type) {
        return bytesFor(type).map(bytes -> bytes.equals("MEDIUMBLOB") ? (1L << 24) - 1 : (1L << 32) - 1);
    }

    /** The expression for the stored bytes: text in its character set, JSON as its text. */
    public static String value(TableColumn column, String type) {
        String name = Names.quoted(column.column());
        return switch (type.toLowerCase(Locale.ROOT)) {
            case "json" -> "NULLIF(CAST(CAST(" + name + " AS CHAR) AS BINARY), '')"; // see RowDigest.unseen
            case "tinytext", "text", "mediumtext", "longtext", "char", "varchar" -> "CAST(" + name + " AS BINARY)";
            default -> name;
        };
    }
}
