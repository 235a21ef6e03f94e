package dev.blobmark.mysql.server.running;

import dev.blobmark.mysql.server.ServerException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An option file of MySQL, as in its manual ("Using Option Files"): groups, comments, quotes, escapes, {@code !include}
 * and {@code !includedir}. Libraries for INI files do not support the last three, nor options without a value.
 */
final class OptionFile {

    /** The limit of MySQL's programs. */
    private static final int MAX_DEPTH = 10;

    /**
     * A line of a group.
     *
     * @param name with dashes instead of underscores, and without {@code loose-}
     * @param value absent if the line has no equals sign; an empty text if nothing follows it
     * @param place file and line, for messages
     */
    record Option(String group, String name, Optional<String> value, String place) {}

    private final List<Option> options = new ArrayList<>();

    private OptionFile() {}

    /**
     * The options of a file and of its included files, in order. If an option is repeated, the last one applies.
     *
     * @throws ServerException if the file cannot be read, has a syntax error, or can be written by everybody
     */
    static List<Option> read(Path file) {
        OptionFile reader = new OptionFile();
        reader.add(file, 0);
        return reader.options;
    }

    private void add(Path file, int depth) {
        if (depth > MAX_DEPTH) {
            throw new ServerException(file + ": nested more than " + MAX_DEPTH
                    + " deep by !include; remove the !include that leads back to the same file");
        }
        List<String> lines;
        try {
            requireTrusted(file);
            lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw new ServerException("the option file " + file + " does not exist: correct its name", e);
        } catch (IOException e) {
            throw new ServerException(
                    "cannot read the option file " + file + ": " + e + ". It must be a readable file in UTF-8.", e);
        }
        String group = null;
        for (int number = 1; number <= lines.size(); number++) {
            String line = lines.get(number - 1).strip();
            String place = file + ":" + number;
            if (line.isEmpty() || line.startsWith("#") || line.startsWith(";")) {
                continue;
            }
            if (line.startsWith("!")) {
                include(line, place, depth);
            } else if (line.startsWith("[")) {
                int end = line.indexOf(']');
                if (end < 0) {
                    throw new ServerException(place + ": a group's name needs a closing ']', as in [client]");
                }
                group = line.substring(1, end).strip();
            } else if (group == null) {
                throw new ServerException(
                        place + ": this option is in no group; add a line such as [client] before it");
            } else {
                options.add(option(group, withoutComment(line), place));
            }
        }
    }

    /** MySQL's programs ignore a file that everybody can write; an error is clearer. */
    private static void requireTrusted(Path file) throws IOException {
        if (file.getFileSystem().supportedFileAttributeViews().contains("posix")
                && Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new ServerException("everybody can write the option file " + file + ": chmod 600 " + file);
        }
    }

    private void include(String line, String place, int depth) {
        String[] words = line.split("\\s+", 2);
        if (words.length < 2 || !words[0].matches("!include(dir)?")) {
            throw new ServerException(
                    place + ": '" + words[0] + "' is neither !include FILE nor !includedir DIRECTORY");
        }
        Path named = Path.of(words[1]);
        if (words[0].equals("!include")) {
            add(named, depth + 1);
            return;
        }
        List<Path> files;
        try (Stream<Path> entries = Files.list(named)) {
            files = entries.filter(entry -> entry.toString().endsWith(".cnf"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new ServerException(
                    place + ": cannot list the directory " + named + " (" + e + "); correct its name or permissions",
                    e);
        }
        files.forEach(file -> add(file, depth + 1));
    }

    /** A number sign begins a comment, except in quotes. */
    private static String withoutComment(String line) {
        char quote = 0;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '\\' && quote != 0) {
                i++;
            } else if (quote == 0 && (c == '"' || c == '\'')) {
                quote = c;
            } else if (c == quote) {
                quote = 0;
            } else if (quote == 0 && c == '#') {
                return line.substring(0, i).strip();
            }
        }
        return line;
    }

    private static Option option(String group, String line, String place) {
        int equals = line.indexOf('=');
        String name = (equals < 0 ? line : line.substring(0, equals))
                .strip()
                .replace('_', '-')
                .replaceFirst("^loose-", "");
        Optional<String> value = equals < 0
                ? Optional.empty()
                : Optional.of(unescaped(unquoted(line.substring(equals + 1).strip())));
        return new Option(group, name, value, place);
    }

    private static String unquoted(String value) {
        boolean quoted = value.length() >= 2
                && (value.startsWith("\"") && value.endsWith("\"") || value.startsWith("'") && value.endsWith("'"));
        return quoted ? value.substring(1, value.length() - 1) : value;
    }

    /** Replaces escapes. A backslash before any other letter stays. */
    private static String unescaped(String value) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            int escape = c == '\\' && i + 1 < value.length() ? "btnrs\\\"'".indexOf(value.charAt(i + 1)) : -1;
            if (escape < 0) {
                text.append(c);
            } else {
                text.append("\b\t\n\r \\\"'".charAt(escape));
                i++;
            }
        }
        return text.toString();
    }
}
