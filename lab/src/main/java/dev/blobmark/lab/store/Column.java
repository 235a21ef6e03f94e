package dev.blobmark.lab.store;

import dev.blobmark.lab.server.ServerIdentity;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Words;
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
 * The type of the column that holds the values. A level of the factor {@code column}.
 *
 * @param id as written in a study
 * @param type as written in {@code CREATE TABLE}
 * @param maxBytes the longest value that it holds, in bytes
 * @param clause what follows in {@code CREATE TABLE}
 * @param expected what the server must say of the column afterwards, by the name of the fact (see {@link MySqlTable#facts})
 */
public record Column(String id, String type, int maxBytes, String clause, Map<String, String> expected) {

    /** A row has at most 65,535 bytes; the key takes 4 of them and the length of the value 2. */
    private static final int MAX_VARBINARY = 65_535 - 4 - 2;

    private static final int MAX_CHAR = 255;

    /** The longest key of an index that every row format has. */
    private static final int MAX_KEY = 767;

    private static final String COMPRESSED = "-compressed";
    private static final String ASCII = " CHARACTER SET latin1 COLLATE latin1_bin";

    public static final Column MEDIUMBLOB = blob("mediumblob", (1 << 24) - 1);

    /** A {@code VARBINARY} as long as the longest value; see {@link #fitted}. */
    private static final Column FIT =
            new Column("varbinary:fit", "VARBINARY(/* the longest value */)", MAX_VARBINARY, Map.of());

    /** Those of one length, the default first; the longest of a LONGBLOB is bounded by Java's arrays. */
    private static final List<Column> BLOBS = Stream.of(
                    MEDIUMBLOB, blob("blob", (1 << 16) - 1), blob("longblob", Integer.MAX_VALUE - 8))
            .flatMap(blob -> Stream.of(blob, blob.compressed()))
            .toList();

    private static final Pattern SIZED = Pattern.compile("(varbinary|char)\\((\\d{1,9})\\)");

    public static final Factor<Column> FACTOR = new Factor<>(
            "column",
            Factor.Home.METHOD,
            Set.of(Factor.Shape.STORE),
            Set.of(Factor.Use.VALUES, Factor.Use.MYSQL),
            "type of the column of the values",
            Stream.concat(BLOBS.stream().map(Column::id), Stream.of("varbinary(N)", FIT.id, "char(N)"))
                    .toList(),
            Optional.of(MEDIUMBLOB.id),
            Column::parse,
            Column::id);

    public Column {
        expected = Map.copyOf(expected);
    }

    /** Of values that are all there. */
    public Column(String id, String type, int maxBytes, Map<String, String> expected) {
        this(id, type, maxBytes, " NOT NULL", expected);
    }

    /** Whether NDB keeps what of a value is not inline in rows of another table. */
    public boolean hasParts() {
        return id.endsWith("blob");
    }

    /** The same in a cluster, with so many bytes of each value in the row. */
    Column inline(Inline inline, int longest) {
        if (!hasParts()) {
            return this;
        }
        int bytes = inline.bytes(longest);
        Map<String, String> more = new TreeMap<>(expected);
        more.put("inline_size", Integer.toString(bytes));
        return new Column(id, type, maxBytes, clause + inline.clause(Integer.toString(bytes)), more);
    }

    /** As {@link MySqlTable#ddl} shows it where the values are not at hand. */
    public Column shown(Inline inline) {
        return hasParts()
                ? new Column(id, type, maxBytes, clause + inline.clause("/* " + inline.level() + " */"), expected)
                : this;
    }

    private static Column blob(String name, int maxBytes) {
        return new Column(name, name.toUpperCase(Locale.ROOT), maxBytes, Map.of("column_type", name));
    }

    /** The same with MariaDB's attribute COMPRESSED: zlib by the server, value by value. */
    private Column compressed() {
        // its method takes a byte before each value
        int most = maxBytes == Integer.MAX_VALUE - 8 ? maxBytes : maxBytes - 1;
        return new Column(id + COMPRESSED, type + " COMPRESSED", most, Map.of("column_type", id + " COMPRESSED"));
    }

    private static Column varbinary(String id, int bytes) {
        String type = "varbinary(" + bytes + ")";
        return new Column(id, type.toUpperCase(Locale.ROOT), bytes, Map.of("column_type", type));
    }

    /** Of a key as long as the longest of these: {@code BINARY} where all are. */
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
        if (level.equals(FIT.id)) {
            return FIT;
        }
        Matcher sized = SIZED.matcher(level);
        if (!sized.matches()) {
            throw new IllegalArgumentException(
                    "unknown column '" + level + "'; " + Words.suggest(level, FACTOR.levels()));
        }
        boolean isText = sized.group(1).equals("char");
        int bytes = Integer.parseInt(sized.group(2));
        int most = isText ? MAX_CHAR : MAX_VARBINARY;
        if (bytes < 1 || bytes > most) {
            throw new IllegalArgumentException("column '" + level + "': the length must be from 1 to " + most
                    + "; longer values need a blob, such as mediumblob");
        }
        String type = sized.group(1) + "(" + bytes + ")";
        return isText
                ? new Column(
                        type,
                        "CHAR(" + bytes + ")" + ASCII,
                        bytes,
                        Map.of("column_type", type, "character_set_name", "latin1"))
                : varbinary(type, bytes);
    }

    /** Whether the server compresses each value by itself, and decompresses it whenever it is read. */
    public boolean isCompressed() {
        return id.endsWith(COMPRESSED);
    }

    /**
     * The column for these values: itself, or for {@code varbinary:fit} one as long as the longest.
     *
     * @throws SQLDataException if it cannot hold them
     */
    public Column fitted(EncodedValues values) throws SQLDataException {
        requireHolds(values);
        return id.equals(FIT.id) ? varbinary(id, Math.max(1, values.maxStoredLength())) : this;
    }

    /**
     * @throws SQLDataException if a value is too long, or is text that would come back otherwise: {@code char(N)} keeps one
     *     byte a character and drops spaces at the end, and only ASCII is the same in every character set a driver may ask for
     */
    void requireHolds(EncodedValues values) throws SQLDataException {
        if (values.maxStoredLength() > maxBytes) {
            throw unfit("the longest stored value has " + values.maxStoredLength() + " bytes, but column " + id
                    + " holds at most " + maxBytes + "; take a longer one, such as "
                    + (values.maxStoredLength() > MAX_VARBINARY ? "mediumblob or longblob" : FIT.id));
        }
        for (int i = 0; type.startsWith("CHAR") && i < values.count(); i++) {
            byte[] stored = values.stored(i);
            boolean isAscii = true;
            for (byte b : stored) {
                isAscii &= b >= 0;
            }
            if (!isAscii || stored.length > 0 && stored[stored.length - 1] == ' ') {
                throw unfit("column " + id + " holds ASCII text that does not end in a space, and value " + i
                        + (isAscii ? " ends in one" : " is not ASCII") + "; take " + FIT.id);
            }
        }
    }

    /** With the state that servers give to data that is too long. */
    private static SQLDataException unfit(String reason) {
        return new SQLDataException(reason, "22001");
    }

    /** Why a server cannot make such a column; empty where it may. */
    Optional<String> lacking(ServerIdentity server) {
        return isCompressed() && !server.product().equals("MariaDB")
                ? Optional.of("compressed columns are MariaDB's; this is " + server)
                : Optional.empty();
    }

    Optional<String> downgrade(Map<String, String> facts) {
        return Layout.difference(type, expected, facts);
    }
}
