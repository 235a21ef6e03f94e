package dev.blobmark.fleet;

import dev.blobmark.fleet.host.Ownership;
import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Files of this machine that Spark loads, or that its settings name. They are code, decide what is code, or decide who
 * is trusted. So nobody but the user and root may replace them.
 */
final class NamedFiles {

    /** Settings with paths between commas, which may be patterns. */
    private static final Pattern LISTS =
            Pattern.compile("spark\\.(jars|files|archives|submit\\.pyFiles|repl\\.local\\.jars"
                    + "|yarn\\.jars|yarn\\.archive|yarn\\.dist\\.\\w+)");

    private static final Pattern CLASS_PATHS = Pattern.compile("spark\\.(driver|executor)\\.extra(Class|Library)Path");

    private static final Pattern PATHS = Pattern.compile(
            "spark\\.jars\\.(ivy|ivySettings)|spark\\.ssl\\.(.+\\.)?([kt]\\w*Store|certChain|privateKey)");

    private static final Pattern WORDS = Pattern.compile("spark\\.(driver|executor)\\.(extra|default)JavaOptions");

    /** Their paths may be those of hosts, which this machine does not have. */
    private static final String OF_HOSTS = "spark.executor.";

    /** A path in the value of any setting. What is before the colon is the scheme of an address. */
    private static final Pattern ABSOLUTE = Pattern.compile("(?:([A-Za-z][A-Za-z0-9+.]*):)?(/[^\\s,;:='\"#@]*)");

    private static final Pattern SEPARATORS = Pattern.compile("[\\s,;:='\"#@]+");

    /** Words of a JVM for directories with libraries, or in which libraries are unpacked. */
    private static final Pattern OF_LIBRARIES = Pattern.compile(
            "-D(?!java\\.io\\.tmpdir=)[^=]*(?:path|lib|te?mp-?dir|workdir)[^=]*=(.+)", Pattern.CASE_INSENSITIVE);

    private static final Pattern LOCAL = Pattern.compile("(?:file|local):/*(/.*)");

    private static final Pattern OTHER_SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:.*");

    /** What Hadoop's patterns of paths are made of ({@code org.apache.hadoop.fs.GlobPattern}). */
    private static final String OF_PATTERNS = "*?[]{}\\^";

    private static final String ALL = "*";

    private static final Set<String> LOCALS = Set.of("file", "local");

    /** In the address of a provider of credentials: {@code jceks://file/PATH}. */
    private static final String FILE_OF_PROVIDER = "//file/";

    private NamedFiles() {}

    /**
     * Refuses settings that name a file that others may replace.
     *
     * @throws IllegalArgumentException if they do; the message has the setting and the file
     */
    static void requireOwn(Map<String, String> settings) throws IOException {
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            requireOwn(setting.getKey(), setting.getValue());
        }
    }

    private static void requireOwn(String key, String value) throws IOException {
        for (String path : named(key, value)) {
            if (path.contains("${")) {
                throw new IllegalArgumentException(
                        key + " has a variable, so that it is not known which files it names; write their paths");
            }
            refuse(key, path, ofPattern(path, key.startsWith(OF_HOSTS)));
        }
        List<String> words = new ArrayList<>();
        if (WORDS.matcher(key).matches()) {
            words.addAll(List.of(SEPARATORS.split(value)));
        } else if (value.startsWith("/")) {
            words.add(value);
        }
        Matcher absolute = ABSOLUTE.matcher(value);
        while (absolute.find()) {
            String scheme = absolute.group(1);
            boolean isInName = scheme == null && absolute.start() > 0 && isOfName(value.charAt(absolute.start() - 1));
            boolean isElsewhere = scheme != null && absolute.group(2).startsWith("//") && !LOCALS.contains(scheme);
            if (!isInName && !isElsewhere) {
                words.add(absolute.group(2));
            } else if (isElsewhere && absolute.group(2).startsWith(FILE_OF_PROVIDER)) {
                words.add(absolute.group(2).substring(FILE_OF_PROVIDER.length() - 1));
            }
        }
        for (String word : words) {
            if (!word.isEmpty() && Files.isRegularFile(Path.of(word))) {
                refuse(key, word, Ownership.problem(Path.of(word)));
            }
        }
    }

    private static void refuse(String key, String path, Optional<String> problem) {
        if (problem.isPresent()) {
            throw new IllegalArgumentException(
                    problem.get() + ", so that they could replace " + path + ", which " + key + " of Spark's settings"
                            + " names: make it yours or root's alone (chown, chmod go-w), or name another one");
        }
    }

    private static boolean isOfName(char letter) {
        return Character.isLetterOrDigit(letter) || "._-}/".indexOf(letter) >= 0;
    }

    /** Paths that must be safe, and must not be missing where others could make them. */
    private static List<String> named(String key, String value) {
        List<String> all = new ArrayList<>();
        if (LISTS.matcher(key).matches()) {
            all.addAll(List.of(value.split(",")));
        } else if (CLASS_PATHS.matcher(key).matches()) {
            all.addAll(List.of(value.split(File.pathSeparator)));
        } else if (PATHS.matcher(key).matches()) {
            all.add(value);
        } else if (WORDS.matcher(key).matches()) {
            for (String word : value.split("[\\s'\"]+")) {
                Matcher ofLibraries = OF_LIBRARIES.matcher(word);
                if (ofLibraries.matches()) {
                    all.addAll(List.of(ofLibraries.group(1).split(File.pathSeparator)));
                }
            }
        }
        List<String> local = new ArrayList<>();
        for (String each : all) {
            Matcher address = LOCAL.matcher(each.strip());
            if (address.matches()) {
                local.add(address.group(1).replaceAll("#.*", ""));
            } else if (!each.isBlank() && !OTHER_SCHEME.matcher(each.strip()).matches()) {
                local.add(each.strip().replaceAll("#.*", ""));
            }
        }
        return local;
    }

    /** All that a path or a pattern means. More than it means may be looked at, never less. */
    private static Optional<String> ofPattern(String text, boolean isOfHosts) throws IOException {
        Path path = Path.of(text).toAbsolutePath();
        if (lastOfPattern(text) < 0) {
            return isOfHosts && !Files.exists(path) ? Optional.empty() : problem(path);
        }
        List<Path> places = List.of(path.getRoot());
        for (Path name : path) {
            int first = firstOfPattern(name.toString());
            List<Path> next = new ArrayList<>();
            for (Path place : places) {
                if (first < 0) {
                    next.add(place.resolve(name));
                } else if (Files.isDirectory(place)) {
                    Optional<String> problem = Ownership.problem(place);
                    if (problem.isPresent()) {
                        return problem;
                    }
                    next.addAll(matching(place, name.toString(), first));
                }
            }
            places = next;
        }
        for (Path place : places) {
            Optional<String> problem = Files.exists(place) ? problem(place) : Optional.empty();
            if (problem.isPresent()) {
                return problem;
            }
        }
        return Optional.empty();
    }

    private static int firstOfPattern(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (OF_PATTERNS.indexOf(name.charAt(i)) >= 0) {
                return i;
            }
        }
        return -1;
    }

    private static int lastOfPattern(String name) {
        int last = -1;
        for (int i = 0; i < name.length(); i++) {
            last = OF_PATTERNS.indexOf(name.charAt(i)) >= 0 ? i : last;
        }
        return last;
    }

    /** From the first letter of a pattern to its last one, everything matches. */
    private static List<Path> matching(Path directory, String name, int first) throws IOException {
        String begin = name.substring(0, first);
        String end = name.substring(lastOfPattern(name) + 1);
        List<Path> all = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, entry -> {
            String each = entry.getFileName().toString();
            return each.startsWith(begin) && each.endsWith(end);
        })) {
            entries.forEach(all::add);
        }
        return all;
    }

    /**
     * How others may replace what is at a path or below it, or make it where it is missing; empty if they may not.
     * Links are followed, but for those below a directory that lead to directories.
     */
    static Optional<String> problem(Path path) throws IOException {
        Optional<String> problem = Ownership.problem(path);
        if (problem.isPresent()) {
            return problem;
        }
        if (Files.isDirectory(path)) {
            try (Stream<Path> below = Files.walk(path.toRealPath())) {
                for (Path each : (Iterable<Path>) below::iterator) {
                    problem = Ownership.problem(each);
                    if (problem.isPresent()) {
                        return problem;
                    }
                }
            }
        } else if (!Files.exists(path)) {
            return ofMissing(path.toAbsolutePath());
        }
        return Optional.empty();
    }

    private static Optional<String> ofMissing(Path path) throws IOException {
        Path there = path;
        while (!Files.exists(there, LinkOption.NOFOLLOW_LINKS)) {
            there = there.getParent();
        }
        if (Files.isSymbolicLink(there)) {
            return Optional.of("the link " + there + " leads to something that does not exist");
        }
        return Ownership.problem(there).map(problem -> problem + ", where " + path + " does not exist");
    }

    /**
     * How others may replace a part of a class path; empty if they may not.
     *
     * @param classPath as a JVM has it: {@code DIRECTORY/*} are all jars of a directory
     */
    static Optional<String> ofClassPath(String classPath) throws IOException {
        for (String entry : classPath.split(File.pathSeparator)) {
            Path path = Path.of(entry);
            List<Path> parts = List.of(path);
            if (entry.equals(ALL) || entry.endsWith(File.separator + ALL)) {
                Path directory = path.toAbsolutePath().getParent();
                Optional<String> problem = Ownership.problem(directory);
                if (problem.isPresent()) {
                    return problem;
                }
                parts = jars(directory);
            }
            for (Path part : parts) {
                Optional<String> problem = problem(part);
                if (problem.isPresent()) {
                    return problem;
                }
            }
        }
        return Optional.empty();
    }

    private static List<Path> jars(Path directory) throws IOException {
        List<Path> jars = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(
                directory, each -> each.toString().toLowerCase(Locale.ROOT).endsWith(".jar"))) {
            found.forEach(jars::add);
        }
        return jars;
    }
}
