package dev.blobmark.cli.shards;

import dev.blobmark.lab.run.RunJson;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a process of a shard is to do: the first line that it reads.
 *
 * @param arguments of {@code blobmark reencode}
 * @param login how it connects: its host's own option file is not read
 * @param isWriter whether it changes parts for another process
 */
public record ShardOrder(List<String> arguments, Optional<String> password, ShardLogin login, boolean isWriter) {

    /**
     * Options, which stay in memory, and files.
     *
     * @param options by their names in an option file
     * @param certificates contents of the files that options name, by the option
     */
    public record ShardLogin(Map<String, Optional<String>> options, Map<String, String> certificates) {}

    public String toLine() {
        return RunJson.MAPPER.writeValueAsString(this);
    }

    public static ShardOrder parse(String line) {
        return RunJson.MAPPER.readValue(line, ShardOrder.class);
    }
}
