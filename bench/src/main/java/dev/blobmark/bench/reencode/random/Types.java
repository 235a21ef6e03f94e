package dev.blobmark.bench.reencode.random;

import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;

/** Types of columns, each with literals of its values. */
final class Types {

    private static final String CHARACTERS = "aAbB01 _%'\"\\`éÉßäжя中あ😀-.";

    /** Makes literals from few values, so that they meet. */
    interface Literals {
        String draw(SplittableRandom random);
    }

    /**
     * A type.
     *
     * @param prefix what an index needs after the name of a column
     * @param hasDefault whether a literal can be the default
     * @param isIndexable whether it can be in an index
     */
    record Type(String sql, Literals literals, String prefix, boolean hasDefault, boolean isIndexable) {

        Type(String sql, Literals literals, boolean hasDefault) {
            this(sql, literals, "", hasDefault, true);
        }

        String literal(SplittableRandom random) {
            return literals.draw(random);
        }

        boolean isInteger() {
            return sql.contains("INT");
        }
    }

    /** A character set of the server as Java has it. */
    private record Text(String name, Charset charset, String... collations) {}

    private static final List<Text> BOTH = List.of(
            new Text(
                    "utf8mb4",
                    StandardCharsets.UTF_8,
                    "utf8mb4_bin",
                    "utf8mb4_general_ci",
                    "utf8mb4_unicode_ci",
                    "utf8mb4_german2_ci"),
            new Text("utf8mb3", StandardCharsets.UTF_8, "utf8mb3_bin", "utf8mb3_general_ci"),
            new Text("latin1", StandardCharsets.ISO_8859_1, "latin1_bin", "latin1_swedish_ci", "latin1_german2_ci"),
            new Text("ascii", StandardCharsets.US_ASCII, "ascii_bin", "ascii_general_ci"),
            new Text("ucs2", StandardCharsets.UTF_16BE, "ucs2_bin", "ucs2_general_ci"),
            new Text("cp1251", Charset.forName("windows-1251"), "cp1251_general_ci", "cp1251_bin"),
            new Text("sjis", Charset.forName("Shift_JIS"), "sjis_japanese_ci", "sjis_bin"),
            new Text("gbk", Charset.forName("GBK"), "gbk_chinese_ci", "gbk_bin"));

    private static final Text MYSQL =
            new Text("utf8mb4", StandardCharsets.UTF_8, "utf8mb4_0900_ai_ci", "utf8mb4_0900_as_cs", "utf8mb4_0900_bin");
    private static final Text MARIADB = new Text(
            "utf8mb4",
            StandardCharsets.UTF_8,
            "utf8mb4_nopad_bin",
            "utf8mb4_uca1400_ai_ci",
            "utf8mb4_unicode_nopad_ci");

    private final boolean isMySql;
    private final SplittableRandom random;

    Types(boolean isMySql, SplittableRandom random) {
        this.isMySql = isMySql;
        this.random = random;
    }

    @SafeVarargs
    static <T> T one(SplittableRandom random, T... of) {
        return of[random.nextInt(of.length)];
    }

    static String hex(byte[] bytes) {
        return "x'" + HexFormat.of().formatHex(bytes) + "'";
    }

    /** A whole number, as an AUTO_INCREMENT column has it. */
    Type number() {
        return integer(
                one(random, "INT", "INT UNSIGNED", "BIGINT", "BIGINT UNSIGNED", "MEDIUMINT", "SMALLINT UNSIGNED"));
    }

    private static Type integer(String sql) {
        return new Type(
                sql,
                from -> sql.contains("UNSIGNED") || from.nextInt(8) > 0
                        ? "" + from.nextInt(60)
                        : "-" + (1 + from.nextInt(20)),
                true);
    }

    /** @param isRare whether it may be one that has no exact order */
    Type key(boolean isRare) {
        if (isRare) {
            return one(
                    random,
                    new Type("FLOAT", from -> from.nextInt(40) + ".5", true),
                    new Type("DOUBLE", from -> from.nextInt(40) + ".25", true));
        }
        return switch (random.nextInt(12)) {
            case 0, 1 -> number();
            case 2 -> integer(one(random, "TINYINT", "SMALLINT"));
            case 3, 4, 5 -> text(one(random, "CHAR", "VARCHAR"));
            case 6 -> bytes(one(random, "BINARY", "VARBINARY"));
            case 7, 8 -> time();
            case 9 ->
                one(
                        random,
                        new Type("DECIMAL(12,3)", from -> from.nextInt(99) - 40 + "." + from.nextInt(3), true),
                        new Type("DECIMAL(40,0)", from -> from.nextInt(99) + "00000000000000000000000000001", true));
            case 10 -> choice();
            default ->
                isMySql || random.nextBoolean()
                        ? new Type("BIT(12)", from -> "b'" + Integer.toBinaryString(from.nextInt(64)) + "'", true)
                        : one(
                                random,
                                new Type(
                                        "UUID",
                                        from -> "'123e4567-e89b-12d3-a456-4266141740" + (10 + from.nextInt(60)) + "'",
                                        true),
                                new Type("INET6", from -> "'2001:db8::" + (1 + from.nextInt(60)) + "'", true));
        };
    }

    private Type choice() {
        return one(
                random,
                new Type("ENUM('a','B','z','é','m','10','2')", from -> "" + (1 + from.nextInt(7)), false),
                new Type("SET('a','B','z','é','m')", from -> "" + from.nextInt(32), false));
    }

    private Type time() {
        String fraction = one(random, "", "(3)", "(6)");
        return one(
                random,
                new Type(
                        "DATE",
                        from -> from.nextInt(30) == 0 ? "'0000-00-00'" : "'2020-01-" + (10 + from.nextInt(20)) + "'",
                        true),
                new Type(
                        "DATETIME" + fraction,
                        from -> "'2020-01-" + (10 + from.nextInt(20)) + " 01:02:0" + from.nextInt(3) + ".123456'",
                        true),
                new Type("TIMESTAMP" + fraction, from -> "'2021-03-28 0" + from.nextInt(6) + ":30:00.5'", true),
                new Type("TIME" + fraction, from -> "'" + (from.nextInt(60) - 30) + ":10:20.25'", true),
                new Type("YEAR", from -> "" + (1990 + from.nextInt(60)), true));
    }

    private static Type bytes(String type) {
        return new Type(
                type + "(8)",
                from -> hex(
                        new byte[] {(byte) from.nextInt(3), (byte) (from.nextInt(4) * 85), (byte) (1 + from.nextInt(4))
                        }),
                false);
    }

    private Type text(String type) {
        Text of = random.nextInt(4) == 0 ? isMySql ? MYSQL : MARIADB : BOTH.get(random.nextInt(BOTH.size()));
        return new Type(
                type + "(12) CHARACTER SET " + of.name() + " COLLATE " + one(random, of.collations()),
                from -> text(of, from),
                false);
    }

    private static String text(Text of, SplittableRandom from) {
        if (of.name().equals("latin1") && from.nextInt(8) == 0) { // no character of Unicode as Java has it
            return "_latin1 x'" + one(from, "81", "8d41", "9d", "418f") + "'";
        }
        return "_" + of.name() + " " + hex(characters(of, from).getBytes(of.charset()));
    }

    private static String characters(Text of, SplittableRandom from) {
        CharsetEncoder encoder = of.charset().newEncoder();
        boolean isBasic = of.name().equals("utf8mb3") || of.name().equals("ucs2");
        int[] usable = CHARACTERS
                .codePoints()
                .filter(c -> encoder.canEncode(Character.toString(c)) && !(isBasic && c > 0xFFFF))
                .toArray();
        StringBuilder text = new StringBuilder();
        int length = from.nextInt(4);
        for (int i = 0; i < length; i++) {
            text.appendCodePoint(usable[from.nextInt(usable.length)]);
        }
        return text.append((char) ('a' + from.nextInt(20))).toString();
    }

    /** Of a column that need not be in a key. */
    Type other() {
        return switch (random.nextInt(11)) {
            case 0 -> key(true);
            case 1 ->
                new Type(
                        one(random, "TEXT", "MEDIUMTEXT"),
                        from -> "_utf8mb4 "
                                + hex("text é".repeat(from.nextInt(20)).getBytes(StandardCharsets.UTF_8)),
                        "(5)",
                        false,
                        true);
            case 2 ->
                new Type(one(random, "BLOB", "TINYBLOB"), from -> hex(new byte[from.nextInt(30)]), "(5)", false, true);
            case 3 -> new Type("JSON", from -> one(from, "'[1, 2]'", "'{\"a\": 1}'", "'null'"), "", false, false);
            default -> key(false);
        };
    }
}
