package dev.blobmark.lab.server.postgres;

import dev.blobmark.mysql.server.ServerException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Passwords of running servers, from the same places as with libpq: the variable {@code PGPASSWORD}, or a file with
 * lines {@code host:port:database:user:password}. The first line that matches applies. The driver's own reader accepts
 * files that other users can read, and uses only the environment of its process.
 */
final class PasswordFile {

    private static final int FIELDS = 5;

    private PasswordFile() {}

    /**
     * The password of an account, if there is one.
     *
     * @throws ServerException if the file cannot be read, or other users can read it
     */
    static Optional<String> password(
            Map<String, String> environment, String host, int port, String database, String user) {
        Optional<String> given =
                Optional.ofNullable(environment.get("PGPASSWORD")).filter(text -> !text.isEmpty());
        return given.or(() -> read(file(environment)).stream()
                .filter(fields -> matches(fields, List.of(host, Integer.toString(port), database, user)))
                .map(fields -> fields.get(FIELDS - 1))
                .findFirst());
    }

    private static Path file(Map<String, String> environment) {
        return Optional.ofNullable(environment.get("PGPASSFILE"))
                .filter(name -> !name.isEmpty())
                .map(Path::of)
                .orElseGet(() -> Path.of(environment.getOrDefault("HOME", System.getProperty("user.home")), ".pgpass"));
    }

    private static List<List<String>> read(Path file) {
        if (!Files.isRegularFile(file)) {
            return List.of();
        }
        try {
            requirePrivate(file);
            return Files.readAllLines(file, StandardCharsets.UTF_8).stream()
                    .filter(line -> !line.startsWith("#"))
                    .map(PasswordFile::fields)
                    .filter(fields -> fields.size() == FIELDS)
                    .toList();
        } catch (IOException e) {
            throw new ServerException("cannot read the password file " + file + ": " + e, e);
        }
    }

    /** libpq silently ignores a file that other users can access; an error is clearer. */
    private static void requirePrivate(Path file) throws IOException {
        if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            if (permissions.stream().anyMatch(permission -> !permission.name().startsWith("OWNER"))) {
                throw new ServerException("other users can access the password file " + file + ": chmod 600 " + file);
            }
        }
    }

    /** A backslash escapes the next character. */
    private static List<String> fields(String line) {
        List<String> fields = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == ':' && fields.size() < FIELDS - 1) {
                fields.add(field.toString());
                field.setLength(0);
            } else {
                boolean isEscape = c == '\\' && i + 1 < line.length();
                field.append(isEscape ? line.charAt(++i) : c);
            }
        }
        fields.add(field.toString());
        return fields;
    }

    private static boolean matches(List<String> fields, List<String> account) {
        for (int i = 0; i < account.size(); i++) {
            if (!fields.get(i).equals("*") && !fields.get(i).equals(account.get(i))) {
                return false;
            }
        }
        return true;
    }
}
