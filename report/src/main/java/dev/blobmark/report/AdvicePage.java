package dev.blobmark.report;

import static dev.blobmark.report.document.HtmlWriter.escape;

import dev.blobmark.advice.Advice;
import dev.blobmark.advice.RegimeMap;
import dev.blobmark.lab.run.PrivateFiles;
import dev.blobmark.report.document.HtmlWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * An advice as one HTML file, with maps of where the recommendation changes. It has no scripts and makes no request.
 */
public final class AdvicePage {

    private AdvicePage() {}

    /** Writes the page and its maps into the directory of the advice. Returns the page. */
    public static Path write(Advice advice, Path directory) throws IOException {
        for (Map.Entry<String, RegimeMap> map : maps(advice).entrySet()) {
            write(
                    directory.resolve(map.getKey() + ".svg"),
                    RegimeSvg.of(map.getValue(), candidates(advice), advice, true));
        }
        Path page = directory.resolve("advice.html");
        write(page, html(advice));
        return page;
    }

    private static void write(Path file, String text) throws IOException {
        try (OutputStream out = PrivateFiles.replace(file)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static Map<String, RegimeMap> maps(Advice advice) {
        Map<String, RegimeMap> maps = new LinkedHashMap<>();
        maps.put("regimes-threads", RegimeMap.byThreads(advice));
        RegimeMap.bySize(advice).ifPresent(map -> maps.put("regimes-sizes", map));
        return maps;
    }

    /** In all maps together: the recommended one first. */
    private static List<String> candidates(Advice advice) {
        return Stream.concat(
                        Stream.of(advice.recommended().id()),
                        maps(advice).values().stream().flatMap(map -> map.candidates().stream()))
                .distinct()
                .toList();
    }

    static String html(Advice advice) {
        StringBuilder maps = new StringBuilder();
        maps(advice)
                .values()
                .forEach(map -> maps.append("<div class=\"scroll\">")
                        .append(RegimeSvg.of(map, candidates(advice), advice, false))
                        .append("</div>\n"));
        return HtmlPage.resource("html/advice.html")
                .replace("{{style}}", HtmlPage.resource("html/style.css"))
                .replace("{{title}}", escape("Advice for " + advice.question().dataset()))
                .replace("{{maps}}", maps)
                .replace("{{answer}}", HtmlWriter.write(AdviceDocument.of(advice), "advice"));
    }
}
