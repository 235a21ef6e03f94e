package dev.blobmark.lab.dataset;

import dev.blobmark.lab.study.HomeDirectory;
import dev.blobmark.mysql.table.DatasetException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonPointer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The lines of a JSON Lines file (jsonlines.org) as values, in their order: whole lines, or what a JSON pointer (RFC
 * 6901) finds in each. A string that it finds is text in UTF-8, or bytes in Base64 (RFC 4648); anything else is JSON.
 * The file is never written.
 *
 * <p>Lines are skipped and counted if they are blank, are longer than {@value #MAX_LINE_BYTES} bytes, or have a value
 * that is missing, null, empty or longer than a {@code MEDIUMBLOB}. If there are more than 1,000 values or more than 1
 * GiB, the values are a random sample that depends on the seed.
 */
final class JsonLines implements Dataset {

    /** Limits the memory of a line. */
    private static final int MAX_LINE_BYTES = 1 << 26;

    private static final Pattern FORM = Pattern.compile("(.+?)(?:#(base64:)?(/.*))?");
    private static final JsonMapper MAPPER = new JsonMapper();

    private final String spec;
    private final String path;
    private final Optional<JsonPointer> pointer;
    private final boolean isBase64;

    /** @param given path of the file, optionally followed by {@code #/pointer} or {@code #base64:/pointer} */
    JsonLines(String given) {
        spec = HomeDirectory.hidden(given);
        Matcher form = FORM.matcher(spec);
        if (!form.matches()) {
            throw new IllegalArgumentException("'" + id() + "' has no path; write jsonl: and the path of a file");
        }
        path = form.group(1);
        isBase64 = form.group(2) != null;
        pointer = Optional.ofNullable(form.group(3)).map(JsonPointer::compile);
    }

    @Override
    public String id() {
        return "jsonl:" + spec;
    }

    @Override
    public boolean hasSize() {
        return false;
    }

    @Override
    public boolean isPrivate() {
        return true;
    }

    /** JSON, or text if the first value that the pointer finds is a string. */
    @Override
    public Optional<String> nativeColumn() {
        if (isBase64) {
            return Optional.empty();
        }
        Path file = file();
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int number = 1; pointer.isPresent(); number++) {
                int next = in.read();
                for (; next >= 0 && next != '\n'; next = in.read()) {
                    line.write(next);
                }
                JsonNode found = document(file, number, line.toByteArray()).at(pointer.get());
                if (found.isString() || next < 0) {
                    return Optional.of(found.isString() ? "mediumtext" : "json");
                }
                if (!found.isMissingNode() && !found.isNull()) {
                    break;
                }
                line.reset();
            }
            return Optional.of("json");
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /**
     * Reads the file once to locate the values.
     *
     * @throws DatasetException if the file is missing or unreadable, a line is not JSON, or no line has a value
     */
    @Override
    public Values values(int size, long seed) {
        Path file = file();
        List<LocatedLine> found = new ArrayList<>();
        Map<String, Integer> skipped = new TreeMap<>();
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
            find(file, in, found, skipped);
        } catch (IOException e) {
            throw unreadable(e);
        }
        if (found.isEmpty()) {
            throw new DatasetException(
                    id(),
                    skipped.isEmpty() ? "the file is empty" : "no line has a value (skipped: %s)".formatted(skipped),
                    "name a file with a JSON value of 1 to %d bytes in a line, and the pointer to it"
                            .formatted(OwnValues.MAX_BYTES));
        }
        return new LineValues(file, found, seed, skipped);
    }

    private DatasetException unreadable(IOException e) {
        return new DatasetException(id(), "it cannot be read (%s)".formatted(e), "allow this user to read it", e);
    }

    private Path file() {
        try {
            Path file = HomeDirectory.path(path);
            if (!Files.isRegularFile(file)) {
                throw new DatasetException(
                        id(),
                        (Files.exists(file) ? "not a file: " : "there is no ")
                                + file.toAbsolutePath().normalize(),
                        DataArgument.similar(path)
                                .map(near -> "did you mean '" + near + "'?")
                                .orElse("name a file that exists"));
            }
            return file;
        } catch (InvalidPathException e) {
            throw new DatasetException(id(), e.getMessage(), "write jsonl: and the path of a file", e);
        }
    }

    /** @param bytes length of the value, which may be a part of the line or decoded from it */
    private record LocatedLine(Path file, int number, long offset, int lineBytes, int bytes)
            implements OwnValues.Located {

        @Override
        public String toString() {
            return file + ", line " + number;
        }
    }

    private void find(Path file, InputStream in, List<LocatedLine> found, Map<String, Integer> skipped)
            throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        long offset = 0;
        long length = 0;
        int number = 1;
        for (int next = in.read(); ; next = in.read()) {
            if (next >= 0 && next != '\n') {
                if (length++ < MAX_LINE_BYTES) {
                    line.write(next);
                }
                continue;
            }
            if (next < 0 && length == 0) {
                return;
            }
            String reason = length > MAX_LINE_BYTES ? "line longer than " + MAX_LINE_BYTES + " bytes" : "";
            byte[] value = {};
            if (reason.isEmpty()) {
                byte[] whole = line.toByteArray();
                value = value(file, number, whole);
                reason = new String(whole, StandardCharsets.ISO_8859_1).isBlank()
                        ? "blank line"
                        : value.length == 0
                                ? "missing, null or empty"
                                : value.length > OwnValues.MAX_BYTES
                                        ? "longer than " + OwnValues.MAX_BYTES + " bytes"
                                        : "";
            }
            if (!reason.isEmpty()) {
                skipped.merge(reason, 1, Integer::sum);
            } else if (found.size() == OwnValues.MAX_FOUND) {
                throw new DatasetException(
                        id(),
                        "it has more than %d lines".formatted(OwnValues.MAX_FOUND),
                        "name a file with a sample of them");
            } else {
                found.add(new LocatedLine(file, number, offset, (int) length, value.length));
            }
            if (next < 0) {
                return;
            }
            offset += length + 1;
            length = 0;
            number++;
            line.reset();
        }
    }

    /** The document of a line; a missing node if the line is blank. */
    private static JsonNode document(Path file, int number, byte[] line) {
        try {
            return MAPPER.readTree(line);
        } catch (JacksonException e) {
            throw new DatasetException(
                    file + ", line " + number,
                    "it is not JSON (%s)".formatted(e.getOriginalMessage()),
                    "each line must hold one JSON value",
                    e);
        }
    }

    /** The value of a line; empty if the line is blank or the pointer finds nothing. */
    private byte[] value(Path file, int number, byte[] line) {
        JsonNode whole = document(file, number, line);
        int length = line.length > 0 && line[line.length - 1] == '\r' ? line.length - 1 : line.length;
        byte[] json = Arrays.copyOf(line, length);
        if (whole.isMissingNode() || pointer.isEmpty()) {
            return json;
        }
        JsonNode part = whole.at(pointer.get());
        if (part.isMissingNode() || part.isNull()) {
            return new byte[0];
        }
        if (isBase64) {
            try {
                return Base64.getDecoder().decode(part.asString());
            } catch (IllegalArgumentException | JacksonException e) {
                throw new DatasetException(
                        file + ", line " + number,
                        "%s is not Base64 (%s)".formatted(pointer.get(), e.getMessage()),
                        "leave out 'base64:' if it is plain text",
                        e);
            }
        }
        return (part.isString() ? part.asString() : part.toString()).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return id();
    }

    private final class LineValues extends OwnValues<LocatedLine> {

        private final Path file;

        LineValues(Path file, List<LocatedLine> found, long seed, Map<String, Integer> skipped) {
            super(JsonLines.this, found, seed, Comparator.comparing(LocatedLine::number), skipped);
            this.file = file;
        }

        @Override
        byte[] read(LocatedLine line) throws IOException {
            byte[] bytes = new byte[line.lineBytes];
            try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
                in.seek(line.offset);
                in.readFully(bytes);
            }
            return value(file, line.number, bytes);
        }
    }
}
