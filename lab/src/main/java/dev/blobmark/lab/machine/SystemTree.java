package dev.blobmark.lab.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The files in which Linux describes itself, in {@code /proc} and {@code /sys}, see proc(5) and sysfs(5). On other
 * systems the tree is empty, and all properties are unknown.
 *
 * @param root the directory that contains {@code proc} and {@code sys}: {@code /}, or a copy from another machine
 */
public record SystemTree(Path root) {

    /** This machine. */
    public static final SystemTree HERE = new SystemTree(Path.of("/"));

    /** Why a property is unknown on other systems. */
    static final String NOT_LINUX = "known only on Linux (no /proc/stat here)";

    boolean isLinux() {
        return Files.isRegularFile(root.resolve("proc/stat"));
    }

    /** A file's content without white space at its ends; empty if the file does not exist or cannot be read. */
    Optional<String> text(String path) {
        try {
            return Optional.of(Files.readString(root.resolve(path), StandardCharsets.ISO_8859_1)
                    .strip());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The content of a file that holds one whole number. */
    OptionalLong number(String path) {
        return number(text(path));
    }

    /** The value in a line {@code name: value}, or {@code name value}. */
    Optional<String> field(String path, String name) {
        return text(path)
                .flatMap(text -> text.lines()
                        .filter(line -> line.startsWith(name)
                                && (line.length() == name.length() || ": \t".indexOf(line.charAt(name.length())) >= 0))
                        .map(line -> line.substring(name.length())
                                .replaceFirst("^\\s*:?", "")
                                .strip())
                        .findFirst());
    }

    /** The number at the start of a field; {@code 12 kB} is 12. */
    OptionalLong numberField(String path, String name) {
        return number(field(path, name).map(value -> value.replaceFirst(" .*", "")));
    }

    private static OptionalLong number(Optional<String> text) {
        return text.filter(t -> t.matches("-?\\d{1,18}"))
                .map(Long::valueOf)
                .map(OptionalLong::of)
                .orElse(OptionalLong.empty());
    }

    /** Names of the entries of a directory that match a glob; empty if the directory cannot be read. */
    List<String> names(String directory, String glob) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(root.resolve(directory), glob)) {
            entries.forEach(entry -> names.add(entry.getFileName().toString()));
        } catch (IOException unreadable) {
            // no entries
        }
        return names;
    }

    /** The processors on which a process, or a thread given as {@code PID/task/TID}, may run. */
    Optional<CpuList> allowed(String process) {
        return field("proc/" + process + "/status", "Cpus_allowed_list").map(CpuList::parse);
    }
}
