package dev.blobmark.advice;

import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyReader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/** Studies of fetches that an advice runs, in the grammar of study files. */
final class StudyText {

    private static final JsonMapper JSON = new JsonMapper();

    /** The same as in the study {@code own-data}. */
    private static final Map<String, String> DEFAULTS = Map.of(
            "store", "mysql",
            "layout", "dynamic",
            "column", "mediumblob",
            "codec", "none",
            "decode", "application",
            "driver", "connector-j",
            "statement", "server",
            "wire-compression", "off",
            "connection", "thread-local");

    private static final int LONGER = 4;

    private StudyText() {}

    /**
     * @param baseline id of the method that the others are compared with until it is clear which is faster
     * @param methods levels by method id
     */
    static Study study(
            String name,
            String question,
            String baseline,
            Map<String, Map<String, String>> methods,
            Map<String, Object> condition,
            Map<String, Object> schedule) {
        Map<String, Object> study = new LinkedHashMap<>();
        study.put("study", name);
        study.put("question", question);
        study.put("source", "blobmark advise");
        study.put("metric", "throughput");
        study.put("defaults", DEFAULTS);
        study.put("baseline", baseline);
        study.put("methods", methods);
        study.put("profiles", Map.of("advice", Map.of("conditions", List.of(condition), "schedule", schedule)));
        return new StudyReader(Factors.VOCABULARY).read(JSON.writeValueAsString(study), name, Optional.empty());
    }

    /**
     * The length of a window. Those of several processes begin some milliseconds apart, and are not made of visits, so
     * that they are longer.
     */
    static String window(AdviceQuestion question, int millis) {
        return (question.processes() == 1 ? millis : LONGER * millis) + "ms";
    }

    /** Fetches over a link, from all threads and hosts of a question. */
    static Map<String, Object> fetches(Object dataset, Object size, String link, AdviceQuestion question) {
        return Map.of(
                "workload",
                "fetch",
                "dataset",
                dataset,
                "size",
                size,
                "link",
                link,
                "tls",
                "off",
                "threads",
                question.threads(),
                "processes",
                question.processes());
    }

    /** The same of a number of rows. */
    static Map<String, Object> fetches(Object dataset, String rows, Object size, String link, AdviceQuestion question) {
        Map<String, Object> condition = new LinkedHashMap<>(fetches(dataset, size, link, question));
        condition.put("rows", rows);
        return condition;
    }
}
