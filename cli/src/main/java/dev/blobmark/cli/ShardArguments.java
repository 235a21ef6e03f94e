package dev.blobmark.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** The command lines of processes that each do a part of {@code blobmark reencode}. */
final class ShardArguments {

    /** As the launcher starts this command. */
    static final List<String> FLAGS = List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-Dfile.encoding=UTF-8",
            "-Xmx1g",
            "-XX:+UseSerialGC",
            "-Xms96m",
            "-Xmn64m",
            "-XX:SurvivorRatio=2");

    /** Options of several servers that are not passed on, or not as they are. */
    private static final Set<String> NOT_FOR_EACH = Set.of(
            "--server",
            "--replicas",
            "--on",
            "--hosts",
            "--spark-conf",
            "--spark-conf-file",
            "--insecure-cluster",
            "--at-once",
            "--socket",
            "--yes",
            "--dry-run",
            "--format",
            "--pause-file",
            "--defaults-file",
            "--ssl-ca",
            "--ssl-cert",
            "--ssl-key");

    private ShardArguments() {}

    /**
     * The arguments for each server.
     *
     * @param given what the user wrote
     * @param replicas for each word of the option, one replica of each server
     */
    static List<List<String>> of(ParseResult given, List<String> servers, List<List<String>> replicas) {
        List<String> common = new ArrayList<>();
        for (OptionSpec option : given.matchedOptions()) {
            if (!NOT_FOR_EACH.contains(option.longestName())) {
                if (option.arity().max() == 0) {
                    common.add(option.longestName());
                } else {
                    option.originalStringValues().forEach(value -> common.addAll(List.of(option.longestName(), value)));
                }
            }
        }
        List<List<String>> arguments = new ArrayList<>();
        for (int i = 0; i < servers.size(); i++) {
            int number = i;
            List<String> own = new ArrayList<>(common);
            own.addAll(List.of("--server", servers.get(i)));
            replicas.forEach(all -> own.addAll(List.of("--replicas", all.get(number))));
            arguments.add(own);
        }
        return arguments;
    }
}
