package dev.blobmark.lab.server.postgres;

import dev.blobmark.lab.server.ServerException;
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
 * Passwords of running servers, from where libpq takes them: the variable {@code PGPASSWORD}, or a file with lines of
 * {@code host:port:database:user:password}, of which the first that fits counts. The driver has a reader of that file, but one that reads
 * files that others may read, and no other than that of the process's own environment.
 */
final class PasswordFile {

    private static final int FIELDS = 5;

    private PasswordFile() {}

    /**
     * The password of an account; empty where there is none.
     *
     * @throws ServerException if the file cannot be read, or may be read by others
     */
    static Optional<String> password(
            Map<String, String> environment, String host, int port, String database, String user) {
        Optional<String> given =
                Optional.ofNullable(environment.get("PGPASSWORD")).filter(text -> !text.isEmpty());
        return given.or(() -> read(file(environment)).stream()
                .filter(fields -> fits(fields, List.of(host, Integer.toString(port), database, user)))
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

    /** libpq passes such a file over; its user would then wonder where the password went. */
    private static void requirePrivate(Path file) throws IOException {
        if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            if (permissions.stream().anyMatch(permission -> !permission.name().startsWith("OWNER"))) {
                throw new ServerException("others may read the password file " + file + ": chmod 600 " + file);
            }
        }
    }

    /** A backslash takes its meaning from a colon or a backslash. */
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

    private static boolean fits(List<String> fields, List<String> account) {
        for (int i = 0; i < account.size(); i++) {
            if (!fields.get(i).equals("*") && !fields.get(i).equals(account.get(i))) {
                return false;
            }
        }
        return true;
    }
}
