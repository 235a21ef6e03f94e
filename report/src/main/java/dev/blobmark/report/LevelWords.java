package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.study.Levels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The levels of a run's conditions as text for people.
 *
 * @param isRemote whether a server is on another host, which gives the link {@code loopback} another name
 */
record LevelWords(boolean isRemote) {

    /** Default levels, which are not mentioned. */
    private static final Map<String, String> WITHOUT_SAYING = Map.of(
            "processes", "1",
            "rate", "closed",
            "keys", "ascending",
            "pool", "warm",
            "durability", "full",
            "storage", "disk",
            "working-set", "fits",
            "server-cpu", "1",
            "rows", "dataset",
            "via", "direct");

    static LevelWords of(Analysis run) {
        return new LevelWords(run.manifest().isRemote());
    }

    /** The levels of a condition, size and dataset first, without the workload and default levels. */
    List<String> of(Levels condition) {
        Map<String, String> rest =
                new TreeMap<>(Link.inWords(condition, isRemote).byFactor());
        rest.remove("workload");
        WITHOUT_SAYING.forEach(rest::remove);
        List<String> words = new ArrayList<>();
        for (String first : List.of("size", "dataset")) {
            if (rest.containsKey(first)) {
                words.add(of(first, rest.remove(first)));
            }
        }
        rest.forEach((factor, level) -> words.add(of(factor, level)));
        return words;
    }

    /** The same, separated by commas. */
    String line(Levels condition) {
        return String.join(", ", of(condition));
    }

    private static String of(String factor, String level) {
        return switch (factor) {
            case "size" -> Figures.size(level);
            case "dataset", "link" -> level;
            case "threads" -> level + (level.equals("1") ? " thread" : " threads");
            case "processes" -> level + " processes";
            case "tls" -> "TLS " + level;
            case "rate" ->
                level.matches("[a-z]+:[0-9]+")
                        ? Figures.count(Long.parseLong(level.substring(level.indexOf(':') + 1)))
                                + " offered per second"
                                + (level.startsWith("poisson") ? " (Poisson)" : "")
                        : "rate " + level;
            default -> factor + " " + level;
        };
    }
}
