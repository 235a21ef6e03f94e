package dev.blobmark.lab.dataset;

import dev.blobmark.lab.study.HomeDirectory;
import dev.blobmark.lab.study.Spelling;
import dev.blobmark.mysql.table.TableColumn;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Resolves the argument of {@code --data}: a dataset as in studies, the path of a file or a directory, or a column of a
 * table. Names of datasets have precedence: {@code ./sites} is a directory of that name. Study files have no such short
 * forms, because their meaning depends on the working directory.
 */
public final class DataArgument {

    private static final List<String> LINES = List.of(".jsonl", ".ndjson");

    /** Suffixes of compressed files, and the program that unpacks them. */
    private static final Pattern PACKED = Pattern.compile(".*\\.(gz|zst|bz2|xz|lz4|br|zip)");

    /** The path of a file, and the pointer that follows it in {@code jsonl:}. */
    private static final Pattern WITH_POINTER = Pattern.compile("(.+?)(#(?:base64:)?/.*)");

    /** The most bytes that are read to determine the contents of a file. */
    private static final int PEEKED_BYTES = 1 << 20;

    /** The most files of a directory that are compared with a mistyped name. */
    private static final int SEARCHED_FILES = 10_000;

    private static final JsonMapper MAPPER = new JsonMapper();

    private DataArgument() {}

    /**
     * The levels of the factor {@code dataset} for an argument; both are separated by commas.
     *
     * @param isOnServer whether a running server is given, which may have a table
     * @throws IllegalArgumentException if a part is not a dataset; the message suggests what was meant
     */
    public static String levels(String argument, boolean isOnServer) {
        if (argument.contains(",") && exists(argument)) {
            throw new IllegalArgumentException(
                    "'" + argument + "' has a comma, which separates datasets; rename it, or name a link to it");
        }
        return Arrays.stream(argument.split(",", -1))
                .map(word -> level(word.strip(), isOnServer))
                .collect(Collectors.joining(","));
    }

    private static String level(String word, boolean isOnServer) {
        if (word.isEmpty() || Datasets.isDataset(word)) {
            return word;
        }
        Matcher pointed = WITH_POINTER.matcher(word);
        boolean hasPointer = !exists(word) && pointed.matches();
        String path = hasPointer ? pointed.group(1) : word;
        if (exists(path)) {
            return ofPath(path, word, hasPointer);
        }
        if (TableColumn.isColumn(word) && !isFileName(word)) {
            if (!isOnServer) {
                throw new IllegalArgumentException(
                        "'" + word + "' is not a file, and a column of a table needs the server that has"
                                + " it; add --server mysql://USER@HOST:PORT/, or --data-server to measure on another one"
                                + meant(path));
            }
            return "table:" + word;
        }
        if (isOnServer && word.matches("[^./#:]+\\.[^./#:]+")) {
            throw new IllegalArgumentException("'" + word
                    + "' is neither a file nor a column of a table; write SCHEMA.TABLE.COLUMN" + meant(path));
        }
        if (looksLikePath(path)) {
            throw new IllegalArgumentException("there is no '" + path + "'" + meant(path) + "; " + forms());
        }
        Datasets.parse(word); // throws, and suggests the nearest dataset
        throw new AssertionError(word + " is a dataset after all");
    }

    private static String ofPath(String path, String word, boolean hasPointer) {
        Path found = HomeDirectory.path(path);
        if (Files.isDirectory(found)) {
            if (hasPointer) {
                throw new IllegalArgumentException(
                        "'" + path + "' is a directory, and a pointer selects a part of lines; leave out '"
                                + word.substring(path.length()) + "'");
            }
            return "dir:" + path;
        }
        if (!Files.isRegularFile(found)) {
            throw new IllegalArgumentException("'" + path + "' is neither a file nor a directory; " + forms());
        }
        String name = path.toLowerCase(Locale.ROOT);
        if (LINES.stream().anyMatch(name::endsWith)) {
            return "jsonl:" + word;
        }
        if (PACKED.matcher(name).matches()) {
            throw new IllegalArgumentException("'" + path + "' is compressed; unpack it first");
        }
        return switch (FileForm.of(found)) {
            case LINES_OF_JSON -> "jsonl:" + word;
            case ARRAY ->
                throw new IllegalArgumentException(
                        "'" + path + "' is one JSON array, and not a value in each line; turn it into"
                                + " lines: jq -c '.[]' FILE > FILE.jsonl");
            case ONE_DOCUMENT ->
                throw new IllegalArgumentException(
                        "'" + path + "' is one JSON document, which is one value; name the directory"
                                + " that has many of them, or write each in a line of its own: jq -c . FILE… > FILE.jsonl");
            case OTHER ->
                throw new IllegalArgumentException(
                        "'" + path + "' is a single file, and its lines are not JSON; name the directory"
                                + " that has your values as files, or a file with a JSON value in each line (.jsonl)");
        };
    }

    /** The contents of a file, as far as its first two lines show. */
    private enum FileForm {
        LINES_OF_JSON,
        ARRAY,
        ONE_DOCUMENT,
        OTHER;

        static FileForm of(Path file) {
            byte[] read;
            try (InputStream in = Files.newInputStream(file)) {
                read = in.readNBytes(PEEKED_BYTES);
            } catch (IOException e) {
                throw new IllegalArgumentException(
                        "'" + file + "' cannot be read (" + e + "); allow this user to read it", e);
            }
            String text = new String(read, StandardCharsets.UTF_8).strip();
            List<String> lines =
                    text.lines().filter(line -> !line.isBlank()).limit(2).toList();
            if (lines.size() == 2 && lines.stream().allMatch(FileForm::isJson)) {
                return LINES_OF_JSON;
            }
            boolean isCut = read.length == PEEKED_BYTES;
            if (isCut ? text.matches("(?s)[\\[{].*") : isJson(text)) {
                return text.startsWith("[") ? ARRAY : ONE_DOCUMENT;
            }
            return OTHER;
        }

        private static boolean isJson(String text) {
            try {
                return !MAPPER.readTree(text).isMissingNode(); // an empty text is a missing node
            } catch (JacksonException e) {
                return false;
            }
        }
    }

    private static boolean exists(String path) {
        try {
            return Files.exists(HomeDirectory.path(path));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private static boolean isFileName(String word) {
        String name = word.toLowerCase(Locale.ROOT);
        return name.contains("/") && !name.contains("`")
                || LINES.stream().anyMatch(name::endsWith)
                || name.endsWith(".json")
                || name.endsWith(".csv")
                || PACKED.matcher(name).matches();
    }

    private static boolean looksLikePath(String word) {
        return !word.matches("[A-Za-z]+:.*") && (word.contains("/") || word.contains("."))
                || similar(word).isPresent();
    }

    private static String meant(String path) {
        return similar(path).map(near -> "; did you mean '" + near + "'?").orElse("");
    }

    /** A file or a directory next to a path that does not exist, with a similar name. */
    static Optional<String> similar(String path) {
        try {
            Path missing = HomeDirectory.path(path);
            Path name = missing.getFileName();
            if (name == null || !path.endsWith(name.toString())) {
                return Optional.empty();
            }
            Path parent = Optional.ofNullable(missing.getParent()).orElse(Path.of(""));
            try (Stream<Path> siblings = Files.list(parent)) {
                List<String> names = siblings.limit(SEARCHED_FILES)
                        .map(sibling -> sibling.getFileName().toString())
                        .filter(sibling -> !sibling.startsWith("."))
                        .sorted()
                        .toList();
                return Spelling.nearest(name.toString(), names)
                        .map(near -> path.substring(
                                        0, path.length() - name.toString().length())
                                + near)
                        .filter(near -> !near.equals(path)); // an existing file of the wrong kind
            }
        } catch (IOException | InvalidPathException e) {
            return Optional.empty(); // the directory does not exist
        }
    }

    private static String forms() {
        return "--data takes a file of JSON lines (.jsonl), a directory of files, SCHEMA.TABLE.COLUMN with a --server,"
                + " or a dataset of 'blobmark list datasets'";
    }
}
