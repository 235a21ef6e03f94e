package dev.blobmark.fleet;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;

/**
 * Which settings are secrets: those that Spark keeps out of its interface and its logs. {@link #regex} makes it keep
 * out the same ones.
 *
 * @param patterns of keys or values
 */
record SparkRedaction(List<Pattern> patterns) {

    static final String SETTING = "spark.redaction.regex";

    /**
     * The default of {@link #SETTING} in Spark 4.2, which does not know what Hadoop's file systems have: the rest of
     * hadoop.security.sensitive-config-keys in Hadoop 3.4, signatures and keys of Azure and Google, and pass phrases.
     * It holds too where the user has another.
     */
    private static final Pattern DEFAULT = Pattern.compile("(?i)secret|password|token|access[.]?key"
            + "|(key|trust)store[.]pass|passphrase|account[.]key|account[.]private[.]key|encryption[.]key|credential$"
            + "|fs[.]azure[.]sas|[?&]sig=");

    /** Spark puts their values into the commands of executors. */
    private static final Set<String> OF_COMMANDS =
            Set.of("spark.executor.extraJavaOptions", "spark.executor.defaultJavaOptions");

    /** @throws IllegalArgumentException if the setting is not a regular expression */
    static SparkRedaction of(Map<String, String> settings) {
        String own = settings.get(SETTING);
        if (own == null) {
            return new SparkRedaction(List.of(DEFAULT));
        }
        try {
            return new SparkRedaction(List.of(DEFAULT, Pattern.compile(own)));
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(
                    SETTING + " is not a regular expression: " + e.getDescription() + "; correct it", e);
        }
    }

    /** The value of {@link #SETTING} by which Spark decides in the same way. */
    String regex() {
        return patterns.stream().map(pattern -> "(?:" + pattern.pattern() + ")").collect(Collectors.joining("|"));
    }

    /** As Spark decides it: a value may have a key and a secret of its own, such as {@code -Ddb.password=…}. */
    boolean isSecret(String key, String value) {
        return !key.equals(SETTING)
                && patterns.stream()
                        .anyMatch(pattern -> pattern.matcher(key).find()
                                || pattern.matcher(value).find());
    }

    /**
     * @param words of the command line, with their option
     * @throws IllegalArgumentException if one is a secret; the message does not have it
     */
    void refuseOnCommandLine(String option, Map<String, String> words) {
        words.forEach((key, value) -> {
            if (isSecret(key, value)) {
                throw new IllegalArgumentException(option + " " + key
                        + " is a secret by " + SETTING + ", and every user of this machine can read a command line;"
                        + " write it into a file of mode 600 that --spark-conf-file names");
            }
        });
    }

    /** @throws IllegalArgumentException if Spark would put a secret into the command of an executor */
    void refuseInCommands(Map<String, String> settings) {
        Map<String, String> ofCommands = new LinkedHashMap<>(settings);
        ofCommands.keySet().retainAll(OF_COMMANDS);
        ofCommands.forEach((key, value) -> {
            if (isSecret(key, value)) {
                throw new IllegalArgumentException("the value of " + key + " has a secret by " + SETTING
                        + ", and every user of a host can read the command of its executor;"
                        + " use spark.executorEnv.NAME=VALUE, or a file on the hosts");
            }
        });
    }
}
