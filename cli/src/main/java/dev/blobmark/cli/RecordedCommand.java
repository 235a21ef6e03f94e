package dev.blobmark.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The command line in the manifest of a run, with which the run can be repeated. It leaves out secrets, addresses of
 * servers, files with credentials, and where the run was written.
 */
final class RecordedCommand {

    /** Options that do not affect what is measured, or whose value would stop the same command from running again. */
    private static final Set<String> OMITTED = Set.of("--out", "--debug");

    /** Options whose value names a server, a file of the user's or a run: the value is shown as its label. */
    private static final Set<String> LABELLED = Set.of(
            "--data-node-config",
            "--data-server",
            "--defaults-file",
            "--ssl-ca",
            "--ssl-cert",
            "--ssl-key",
            "--resume",
            "--on",
            "--spark-conf",
            "--spark-conf-file");

    private static final String SERVER = "--server";

    private static final String JVM_FLAGS = "--jvm-flags";

    /** The address of a running server; {@code mysqld:/opt/mysql} is not one. */
    private static final Pattern ADDRESS = Pattern.compile("//");

    private static final Pattern CREDENTIALS = Pattern.compile("//[^/@\\s]*@");

    private static final Pattern SECRET =
            Pattern.compile("(?i)((?:password|passwd|passphrase|pwd|secret|token|api[_-]?key)\\w*[=:])[^\\s&;,]+");

    /** The value of a system property may be a password, whatever its name. */
    private static final Pattern PROPERTY = Pattern.compile("(?<!\\S)(-D[^=\\s]+=)\\S+");

    /** Words that need no quotes in a shell. */
    private static final Pattern PLAIN = Pattern.compile("[\\w./:=,@%+-]+");

    private RecordedCommand() {}

    /** The name of the command and its arguments, in their order, quoted for a shell. */
    static String of(ParseResult command) {
        List<String> words = new ArrayList<>(List.of(command.commandSpec().name()));
        Set<ArgSpec> seen = new HashSet<>();
        for (ArgSpec argument : command.matchedArgs()) {
            if (!seen.add(argument)) {
                continue;
            }
            if (!(argument instanceof OptionSpec option)) {
                argument.originalStringValues().stream()
                        .map(RecordedCommand::study)
                        .forEach(words::add);
            } else if (!OMITTED.contains(option.longestName())) {
                words.addAll(words(option));
            }
        }
        return words.stream().map(RecordedCommand::quoted).collect(Collectors.joining(" "));
    }

    private static List<String> words(OptionSpec option) {
        if (option.arity().max() == 0) {
            boolean isNegated = option.negatable() && Boolean.FALSE.equals(option.getValue());
            return List.of(isNegated ? option.longestName().replaceFirst("--", "--no-") : option.longestName());
        }
        return option.originalStringValues().stream()
                .flatMap(value -> Stream.of(option.longestName(), shown(option, value)))
                .toList();
    }

    private static String shown(OptionSpec option, String value) {
        String name = option.longestName();
        if (LABELLED.contains(name)) {
            return option.paramLabel();
        }
        if (name.equals(SERVER) && ADDRESS.matcher(value).find()) {
            return value.replaceFirst("^(\\w+=)?.*", "$1" + option.paramLabel());
        }
        return withoutSecrets(name.equals(JVM_FLAGS) ? PROPERTY.matcher(value).replaceAll("$1…") : value);
    }

    /** A built-in study by its name, a file without its directory. */
    private static String study(String text) {
        Path name = Path.of(text).getFileName();
        return name == null ? text : name.toString();
    }

    static String withoutSecrets(String value) {
        return SECRET.matcher(CREDENTIALS.matcher(value).replaceAll("//")).replaceAll("$1…");
    }

    private static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
