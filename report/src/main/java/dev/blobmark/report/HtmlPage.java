package dev.blobmark.report;

import static dev.blobmark.report.document.HtmlWriter.escape;

import dev.blobmark.report.document.Document;
import dev.blobmark.report.document.HtmlWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/**
 * A report as one HTML file that contains its text, style and scripts, the charting library, and the data of the
 * charts. Its content policy forbids requests. The scripts are those below {@code html/}. The evidence is packed with
 * the data, because it is long and repeats itself.
 */
final class HtmlPage {

    /** Scripts that draw charts. They need no page, so that charts can be drawn without a browser. */
    static final List<String> DRAWING =
            List.of("data.js", "figures.js", "look.js", "lines.js", "ranked.js", "views.js");

    /** Scripts that make the page. */
    private static final List<String> SCRIPTS = List.of("address.js", "dom.js", "tables.js", "explorer.js", "page.js");

    private static final String ECHARTS = "/META-INF/resources/_static/echarts/6.0.0/dist/echarts.min.js";

    private HtmlPage() {}

    static void write(List<PageRun> runs, Appendable out) throws IOException {
        Map<String, String> parts = Map.of(
                "title", escape(title(runs)),
                "description", escape(runs.get(0).text().headline()),
                "header", header(runs),
                "glance", each(runs, "glance", run -> Optional.of(run.text().glance())),
                "answer", each(runs, "answer", run -> Optional.of(run.text().answer())),
                "claims",
                        runs.stream().anyMatch(run -> run.text().claims().isPresent())
                                ? "<section id=\"claims\" tabindex=\"-1\" aria-labelledby=\"claims-title\"><h2 id=\"claims-title\">Claims</h2>\n"
                                        + each(runs, "claims", run -> run.text().claims()) + "</section>"
                                : "",
                "style", resource("html/style.css"),
                "data", packed(runs),
                "echarts", echarts(),
                "scripts",
                        Stream.concat(DRAWING.stream(), SCRIPTS.stream())
                                .map(HtmlPage::script)
                                .collect(Collectors.joining("\n")));
        String page = resource("html/page.html");
        int from = 0;
        for (int open; (open = page.indexOf("{{", from)) >= 0; ) {
            int close = page.indexOf("}}", open);
            out.append(page, from, open).append(parts.get(page.substring(open + 2, close)));
            from = close + 2;
        }
        out.append(page, from, page.length());
    }

    /** The data of charts as JSON. */
    static String json(List<PageRun> runs) {
        return JsonRankings.MAPPER.writeValueAsString(Map.of("runs", runs));
    }

    private static String header(List<PageRun> runs) {
        StringBuilder header = new StringBuilder();
        runs.stream()
                .map(run -> run.text().question())
                .distinct()
                .forEach(question -> header.append("<p class=\"question\">")
                        .append(escape(question))
                        .append("</p>\n"));
        header.append("<h1>");
        for (PageRun run : runs) {
            header.append("<span>")
                    .append(escape((runs.size() > 1 ? run.label() + ": " : "")
                            + run.text().headline()))
                    .append("</span>");
        }
        header.append("</h1>\n");
        runs.forEach(run -> header.append("<p class=\"setting\">")
                .append(escape(run.text().setting()))
                .append("</p>\n"));
        return header.toString();
    }

    /** A document of each run, with the run's label if there are several. */
    private static String each(List<PageRun> runs, String name, Function<PageRun, Optional<Document>> part) {
        StringBuilder html = new StringBuilder();
        for (PageRun run : runs) {
            part.apply(run)
                    .ifPresent(document -> html.append("<div class=\"")
                            .append(name)
                            .append("\" data-run=\"")
                            .append(escape(run.label()))
                            .append("\">\n")
                            .append(runs.size() > 1 ? "<h2>" + escape(run.label()) + "</h2>\n" : "")
                            .append(HtmlWriter.write(document, name + (runs.size() > 1 ? " of " + run.label() : "")))
                            .append("</div>\n"));
        }
        return html.toString();
    }

    /** A script of the page. */
    static String script(String name) {
        return resource("html/" + name);
    }

    /** The charting library. */
    static String echarts() {
        return resource(ECHARTS);
    }

    private static String title(List<PageRun> runs) {
        return runs.stream().map(run -> run.label()).collect(Collectors.joining("; "));
    }

    private static String packed(List<PageRun> runs) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(JsonRankings.MAPPER
                    .writeValueAsString(Map.of(
                            "runs",
                            runs,
                            "evidence",
                            each(runs, "evidence", run -> Optional.of(run.text().evidence()))))
                    .getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("to memory", e);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    static String resource(String name) {
        try (InputStream resource = HtmlPage.class.getResourceAsStream(name)) {
            if (resource == null) {
                throw new IllegalStateException(name + " is not in the jars that this was started with");
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }
}
