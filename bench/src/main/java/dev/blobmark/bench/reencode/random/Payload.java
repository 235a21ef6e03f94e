package dev.blobmark.bench.reencode.random;

import dev.blobmark.bench.reencode.random.Scenario.Statement;
import dev.blobmark.value.EncodingPolicy;
import dev.blobmark.value.ValueFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;

/**
 * The column whose values are changed, and its values. The application writes each value as it was stored before or,
 * where the column is one of bytes, in a frame.
 *
 * @param type of the column
 * @param charset of text; empty for bytes
 * @param from codec of values without a frame
 * @param mostBytes of a stored value
 * @param mayBeNull whether the column takes NULL
 */
record Payload(String type, String charset, String attributes, String from, int mostBytes, boolean mayBeNull) {

    private static final ValueFormat FRAMED = framed();
    private static final byte[] MAGIC = {(byte) 0xBE, (byte) 0xC1};

    private static ValueFormat framed() {
        ValueFormat format = ValueFormat.builder()
                .writes("zstd:1")
                .policy(new EncodingPolicy(0, 0, false))
                .build();
        format.startWriting();
        return format;
    }

    @SafeVarargs
    private static <T> T one(SplittableRandom random, T... of) {
        return of[random.nextInt(of.length)];
    }

    static Payload draw(boolean isMySql, boolean isCopy, SplittableRandom random) {
        boolean isText = isCopy ? random.nextInt(10) < 6 : random.nextInt(40) == 0;
        boolean mayBeNull = random.nextBoolean();
        StringBuilder attributes = new StringBuilder(mayBeNull ? "" : " NOT NULL");
        String type = isText
                ? one(random, "TEXT", "MEDIUMTEXT", "LONGTEXT", "VARCHAR(1500)", "CHAR(200)", "JSON", "JSON")
                : one(random, "BLOB", "MEDIUMBLOB", "LONGBLOB", "VARBINARY(2000)", "MEDIUMBLOB", "TINYBLOB");
        boolean hasDefault = random.nextInt(5) == 0;
        boolean isShort = type.contains("(");
        if (hasDefault) {
            String value = one(random, "'{}'", "'[]'");
            attributes.append(" DEFAULT ").append(isMySql && !isShort ? "(" + value + ")" : value);
        }
        if (random.nextInt(10) == 0 && (mayBeNull || hasDefault)) {
            attributes.append(" INVISIBLE");
        }
        if (random.nextInt(6) == 0) {
            attributes.append(" COMMENT ").append(one(random, "'it''s'", "'back\\\\slash \"q\"'", "'größe'"));
        }
        String charset = isText && !type.equals("JSON")
                ? one(random, "utf8mb4", "latin1", "utf8mb3", "utf8mb4", "ucs2")
                : isText ? "utf8mb4" : "";
        int most = type.startsWith("CHAR") || type.startsWith("TINY") ? 190 : isShort ? 1400 : 4000;
        return new Payload(
                type + (charset.isEmpty() || type.equals("JSON") ? "" : " CHARACTER SET " + charset),
                charset,
                attributes.toString(),
                isText || hasDefault || random.nextInt(8) > 0 ? "none" : one(random, "gzip", "zlib"),
                most,
                mayBeNull);
    }

    String definition() {
        return type + attributes;
    }

    boolean isText() {
        return !charset.isEmpty();
    }

    boolean isJson() {
        return type.equals("JSON");
    }

    /** A literal of a value. */
    Statement value(SplittableRandom random) {
        if (mayBeNull && random.nextInt(15) == 0) {
            return Statement.same("NULL");
        }
        byte[] value = content(random);
        if (isText()) {
            return Statement.same("_" + charset + " " + Types.hex(value));
        }
        byte[] legacy = legacy(value);
        byte[] framed = FRAMED.encode(value); // or the value itself, if that is shorter
        boolean isFramed = random.nextInt(3) == 0 && framed.length > 1 && framed[0] == MAGIC[0];
        return new Statement(Types.hex(isFramed ? framed : legacy), Types.hex(legacy));
    }

    /** The digits of a value, for {@link #unhex}. */
    Statement bytes(SplittableRandom random) {
        byte[] value = content(random);
        String digits = HexFormat.of().formatHex(isText() ? value : legacy(value));
        return Statement.same(digits);
    }

    /** The expression that makes a value of digits. */
    String unhex(String digits) {
        return isText() ? "CONVERT(UNHEX(" + digits + ") USING " + charset + ")" : "UNHEX(" + digits + ")";
    }

    private byte[] legacy(byte[] value) {
        if (from.equals("none")) {
            return value;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream stream =
                from.equals("gzip") ? new GZIPOutputStream(bytes) : new DeflaterOutputStream(bytes)) {
            stream.write(value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** In the character set of the column. Documents are as MySQL writes them. */
    private byte[] content(SplittableRandom random) {
        int kind = random.nextInt(30);
        if (!isText() && kind == 0) {
            return new byte[0];
        }
        if (!isText() && kind < 4) {
            byte[] noise = new byte[random.nextInt(150)];
            for (int i = 0; i < noise.length; i++) {
                noise[i] = (byte) random.nextInt();
            }
            if (noise.length > 1 && noise[0] == MAGIC[0]) {
                noise[0] = 0;
            }
            return noise;
        }
        int most = (isText() && charset.equals("ucs2") ? mostBytes / 2 : mostBytes) - 60;
        int length = 1 + random.nextInt(random.nextInt(4) == 0 ? most : Math.min(most, 400));
        StringBuilder text = new StringBuilder("{\"a\": " + random.nextInt(1_000_000) + ", \"b\": \"");
        while (text.length() < length) {
            text.append(one(random, "paid ", "item-12, ", "state: open ", isJson() ? "x" : "é"));
        }
        return text.append("\"}").toString().getBytes(charset(charset));
    }

    private static Charset charset(String name) {
        return switch (name) {
            case "latin1" -> StandardCharsets.ISO_8859_1;
            case "ucs2" -> StandardCharsets.UTF_16BE;
            default -> StandardCharsets.UTF_8;
        };
    }
}
