package dev.blobmark.report;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;

/**
 * A report as one HTML file that contains its style, its scripts, the charting library and the data of one or several
 * runs. Its content policy forbids requests. The scripts are those below {@code html/}, in the order of {@link
 * #SCRIPTS}.
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
        String scripts = SCRIPTS.stream().map(HtmlPage::script).collect(Collectors.joining("\n"));
        Map<String, String> parts = Map.of(
                "title", escape(title(runs)),
                "question",
                        escape(runs.stream()
                                .map(run -> run.head().question())
                                .distinct()
                                .collect(Collectors.joining(" "))),
                "headline",
                        runs.stream()
                                .map(run -> "<span>"
                                        + escape((runs.size() > 1 ? run.head().label() + ": " : "")
                                                + run.head().headline())
                                        + "</span>")
                                .collect(Collectors.joining("\n")),
                "style", resource("html/style.css"),
                "data", packed(runs),
                "echarts", echarts(),
                "scripts", DRAWING.stream().map(HtmlPage::script).collect(Collectors.joining("\n")) + "\n" + scripts);
        String page = resource("html/page.html");
        int from = 0;
        for (int open; (open = page.indexOf("{{", from)) >= 0; ) {
            int close = page.indexOf("}}", open);
            out.append(page, from, open).append(parts.get(page.substring(open + 2, close)));
            from = close + 2;
        }
        out.append(page, from, page.length());
    }

    /** The runs as JSON. */
    static String json(List<PageRun> runs) {
        return JsonRankings.MAPPER.writeValueAsString(Map.of("runs", runs));
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
        return runs.stream().map(run -> run.head().label()).collect(Collectors.joining("; "));
    }

    private static String packed(List<PageRun> runs) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(json(runs).getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("to memory", e);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    private static String resource(String name) {
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
