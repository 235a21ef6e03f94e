package dev.blobmark.lab.store;

import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Spelling;
import dev.blobmark.mysql.server.ServerIdentity;
import java.sql.SQLDataException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The type of the column of the values. A level of the factor {@code column}.
 *
 * @param id as written in a study
 * @param type as written in {@code CREATE TABLE}
 * @param maxBytes length of the longest value that fits, in bytes
 * @param clause what follows the type in {@code CREATE TABLE}
 * @param content what it holds
 * @param expected what the server must report of the column afterwards, by the names of {@link MySqlTable#facts}
 */
public record Column(
        String id, String type, int maxBytes, String clause, ColumnContent content, Map<String, String> expected) {

    /** A row has at most 65,535 bytes; the key takes 4 of them and the length of the value 2. */
    private static final int MAX_VARBINARY = 65_535 - 4 - 2;

    private static final int MAX_CHAR = 255;

    /** The longest index key that every row format supports. */
    private static final int MAX_KEY = 767;

    private static final String COMPRESSED = "-compressed";
    private static final String ASCII = " CHARACTER SET latin1 COLLATE latin1_bin";

    public static final Column MEDIUMBLOB = blob("mediumblob", (1 << 24) - 1);

    /** A {@code VARBINARY} as long as the longest value; see {@link #fitted}. */
    private static final Column FIT =
            new Column("varbinary:fit", "VARBINARY(/* the longest value */)", MAX_VARBINARY, Map.of());

    /** The types of fixed capacity, the default first. That of a LONGBLOB is limited by Java's arrays. */
    private static final List<Column> BLOBS = Stream.of(
                    MEDIUMBLOB, blob("blob", (1 << 16) - 1), blob("longblob", Integer.MAX_VALUE - 8))
            .flatMap(blob -> Stream.of(blob, blob.compressed()))
            .toList();

    /** A placeholder for the column type of the user's table. It is replaced before a run. */
    public static final Column OWN = new Column(
            "own", "/* as your values have it */", Integer.MAX_VALUE - 8, " NOT NULL", ColumnContent.JSON, Map.of());

    public static final Column JSON =
            new Column("json", "JSON", (1 << 30) - 1, " NOT NULL", ColumnContent.JSON, Map.of("column_type", "json"));

    /** What MariaDB reports of {@code data JSON}, which is not a type of its own there. */
    private static final Map<String, String> JSON_OF_MARIADB =
            Map.of("column_type", "longtext", "character_set_name", "utf8mb4", "check_clause", "json_valid(`data`)");

    private static final Map<String, Integer> TEXTS = new TreeMap<>(Map.of(
            "tinytext", (1 << 8) - 1,
            "text", (1 << 16) - 1,
            "mediumtext", (1 << 24) - 1,
            "longtext", Integer.MAX_VALUE - 8));

    /** A text type with a character set or a collation. A collation's name begins with that of its character set. */
    private static final Pattern TEXT =
            Pattern.compile("(tinytext|text|mediumtext|longtext)(?::([a-z0-9]+)(_[a-z0-9_]+)?)?");

    private static final Pattern SIZED = Pattern.compile("(varbinary|char)\\((\\d{1,9})\\)");

    public static final Factor<Column> FACTOR = new Factor<>(
                    "column",
                    Factor.Home.METHOD,
                    Set.of(Factor.Shape.STORE),
                    Set.of(Factor.Use.VALUES, Factor.Use.MYSQL),
                    "type of the column that holds the values",
                    Stream.of(
                                    BLOBS.stream().map(Column::id),
                                    Stream.of("varbinary(N)", FIT.id, "char(N)", JSON.id),
                                    TEXTS.keySet().stream(),
                                    Stream.of("longtext:CHARSET", "longtext:COLLATION", OWN.id))
                            .flatMap(levels -> levels)
                            .toList(),
                    Optional.of(MEDIUMBLOB.id),
                    Column::parse,
                    Column::id)
            .withForm(Factor.alternatives(Stream.concat(BLOBS.stream(), Stream.of(FIT, JSON, OWN))
                            .map(Column::id)
                            .toList())
                    + "|" + TEXT.pattern() + "|" + SIZED.pattern());

    public Column {
        expected = Map.copyOf(expected);
    }

    /** A column of bytes that is {@code NOT NULL}. */
    public Column(String id, String type, int maxBytes, Map<String, String> expected) {
        this(id, type, maxBytes, " NOT NULL", ColumnContent.BYTES, expected);
    }

    /** Whether NDB stores the part of a value that is not inline in another table. */
    public boolean hasParts() {
        return id.endsWith("blob");
    }

    /** This column in a cluster, where {@code inline} sets how many bytes of each value are stored in the row. */
    Column inline(Inline inline, int maxStoredLength) {
        if (!hasParts()) {
            return this;
        }
        int bytes = inline.bytes(maxStoredLength);
        Map<String, String> more = new TreeMap<>(expected);
        more.put("inline_size", Integer.toString(bytes));
        return new Column(id, type, maxBytes, clause + inline.clause(Integer.toString(bytes)), content, more);
    }

    /** This column for a {@link MySqlTable#ddl} that is shown before the values are known. */
    public Column shown(Inline inline) {
        return hasParts()
                ? new Column(
                        id, type, maxBytes, clause + inline.clause("/* " + inline.level() + " */"), content, expected)
                : this;
    }

    private static Column blob(String name, int maxBytes) {
        return new Column(name, name.toUpperCase(Locale.ROOT), maxBytes, Map.of("column_type", name));
    }

    /** This column with MariaDB's attribute COMPRESSED: the server compresses each value with zlib. */
    private Column compressed() {
        // a byte that names the method precedes each value
        int max = maxBytes == Integer.MAX_VALUE - 8 ? maxBytes : maxBytes - 1;
        return new Column(id + COMPRESSED, type + " COMPRESSED", max, Map.of("column_type", id + " COMPRESSED"));
    }

    private static Column varbinary(String id, int bytes) {
        String type = "varbinary(" + bytes + ")";
        return new Column(id, type.toUpperCase(Locale.ROOT), bytes, Map.of("column_type", type));
    }

    /** The column of these keys: {@code BINARY} if all have the same length, otherwise {@code VARBINARY}. */
    static Column ofKeys(EncodedValues keys) {
        boolean isFixed = keys.storedBytes() == (long) keys.count() * keys.maxStoredLength();
        String type = (isFixed ? "binary(" : "varbinary(") + Math.max(1, keys.maxStoredLength()) + ")";
        return new Column(type, type.toUpperCase(Locale.ROOT), MAX_KEY, Map.of("column_type", type));
    }

    private static Column parse(String level) {
        for (Column column : BLOBS) {
            if (column.id.equals(level)) {
                return column;
            }
        }
        for (Column column : List.of(FIT, JSON, OWN)) {
            if (column.id.equals(level)) {
                return column;
            }
        }
        Matcher text = TEXT.matcher(level);
        if (text.matches()) {
            return text(text.group(1), text.group(2), text.group(3));
        }
        Matcher sized = SIZED.matcher(level);
        if (!sized.matches()) {
            throw new IllegalArgumentException(
                    "unknown column '" + level + "'; " + Spelling.suggest(level, FACTOR.levels()));
        }
        boolean isText = sized.group(1).equals("char");
        int bytes = Integer.parseInt(sized.group(2));
        int max = isText ? MAX_CHAR : MAX_VARBINARY;
        if (bytes < 1 || bytes > max) {
            throw new IllegalArgumentException("column '" + level + "': the length must be from 1 to " + max
                    + "; longer values need a blob, such as mediumblob");
        }
        String type = sized.group(1) + "(" + bytes + ")";
        return isText
                ? new Column(
                        type,
                        "CHAR(" + bytes + ")" + ASCII,
                        bytes,
                        " NOT NULL",
                        ColumnContent.PADDED_ASCII,
                        Map.of("column_type", type, "character_set_name", "latin1"))
                : varbinary(type, bytes);
    }

    /**
     * @param characterSet null for utf8mb4
     * @param collation the rest of its name after the character set; null for the server's default
     */
    private static Column text(String type, String characterSet, String collation) {
        String name = characterSet == null ? "utf8mb4" : characterSet.equals("utf8") ? "utf8mb3" : characterSet;
        ColumnContent content = Stream.of(
                        ColumnContent.UTF8MB4, ColumnContent.UTF8MB3, ColumnContent.LATIN1, ColumnContent.ASCII)
                .filter(known -> known.characterSet().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("column '" + type + ":" + characterSet
                        + (collation == null ? "" : collation)
                        + "': text can be measured in utf8mb4, utf8mb3, latin1 and ascii; for another character set,"
                        + " measure the bytes in a blob"));
        Map<String, String> expected = new TreeMap<>(Map.of("column_type", type, "character_set_name", name));
        String sql = type.toUpperCase(Locale.ROOT) + " CHARACTER SET " + name;
        if (collation != null) {
            expected.put("collation_name", name + collation);
            sql += " COLLATE " + name + collation;
        }
        String suffix = collation != null ? ":" + name + collation : content == ColumnContent.UTF8MB4 ? "" : ":" + name;
        return new Column(type + suffix, sql, TEXTS.get(type), " NOT NULL", content, expected);
    }

    /** Whether the server compresses each value separately, and decompresses it on each read. */
    public boolean isCompressed() {
        return id.endsWith(COMPRESSED);
    }

    /**
     * The column for these values: this one, or for {@code varbinary:fit} one as long as the longest value.
     *
     * @throws SQLDataException if a value does not fit
     */
    public Column fitted(EncodedValues values) throws SQLDataException {
        requireHolds(values);
        return id.equals(FIT.id) ? varbinary(id, Math.max(1, values.maxStoredLength())) : this;
    }

    /** @throws SQLDataException if a value is too long, or is not of the column's content */
    void requireHolds(EncodedValues values) throws SQLDataException {
        if (values.maxStoredLength() > maxBytes) {
            throw unfit("the longest stored value has " + values.maxStoredLength() + " bytes, but column " + id
                    + " holds at most " + maxBytes + "; use a longer one, such as "
                    + (content.isPlain()
                            ? "longtext"
                            : values.maxStoredLength() > MAX_VARBINARY ? "mediumblob or longblob" : FIT.id));
        }
        for (int i = 0; content != ColumnContent.BYTES && i < values.count(); i++) {
            Optional<String> problem = content.problem(values.stored(i));
            if (problem.isPresent()) {
                throw unfit("column " + id + " holds " + held() + ", and value " + i + " " + problem.get() + "; use "
                        + (content.isPlain() ? MEDIUMBLOB.id : FIT.id));
            }
        }
    }

    /**
     * Why the column cannot hold a value, and what to do; empty if it can.
     *
     * @param name of the value in messages
     */
    public Optional<String> problem(String name, byte[] value) {
        Optional<String> problem = value.length > maxBytes
                ? Optional.of("has " + value.length + " bytes, and it holds " + maxBytes)
                : content.problem(value);
        return problem.map(reason -> name + ": column " + id + " holds " + held() + ", and the value " + reason
                + "; leave the value out, or use "
                + (content == ColumnContent.JSON ? "mediumtext or mediumblob" : MEDIUMBLOB.id)
                + " (--set column=…)");
    }

    private String held() {
        return switch (content) {
            case BYTES -> "bytes";
            case PADDED_ASCII -> "ASCII text that does not end in a space";
            case JSON -> "JSON documents";
            case ASCII, LATIN1, UTF8MB3, UTF8MB4 -> "text in " + content.characterSet();
        };
    }

    /** With the SQL state that servers use for data that is too long. */
    private static SQLDataException unfit(String reason) {
        return new SQLDataException(reason, "22001");
    }

    /** Why a server cannot create such a column; empty if it can. */
    Optional<String> unsupported(ServerIdentity server) {
        return isCompressed() && !server.product().equals("MariaDB")
                ? Optional.of("only MariaDB has compressed columns; this is " + server)
                : Optional.empty();
    }

    /** @param isMariaDb whether the server is MariaDB, whose JSON is another type */
    Optional<String> downgrade(Map<String, String> facts, boolean isMariaDb) {
        return Layout.difference(type, isMariaDb && this == JSON ? JSON_OF_MARIADB : expected, facts);
    }

    /** Whether a value takes as many bytes in InnoDB's pages as its stored length. */
    boolean isStoredAsGiven(boolean isMariaDb) {
        return !isCompressed() && (this != JSON || isMariaDb);
    }
}
