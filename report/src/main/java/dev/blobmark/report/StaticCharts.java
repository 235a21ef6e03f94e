package dev.blobmark.report;

import com.github.weisj.jsvg.SVGDocument;
import com.github.weisj.jsvg.parser.LoaderContext;
import com.github.weisj.jsvg.parser.SVGLoader;
import com.github.weisj.jsvg.view.FloatSize;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.Source;
import org.graalvm.polyglot.Value;

/**
 * The charts of the page as files for articles: drawn by the page's own scripts and its charting library, which draws
 * to text without a browser (Apache ECharts, "Server-side rendering").
 */
final class StaticCharts {

    /** Pixels of a PNG for each pixel of the SVG, for screens with high resolution and for print. */
    private static final int SCALE = 2;

    /** Functions of a browser that the charting library refers to and does not need here. */
    private static final String BROWSER = "globalThis.setTimeout = () => 0; globalThis.clearTimeout = () => {};";

    private static final String LANGUAGE = "js";

    private StaticCharts() {}

    /** @param id the stem of the file's name */
    record Chart(String id, String name, String svg) {}

    /** Draws all charts, in the order of the page. */
    static List<Chart> draw(List<PageRun> runs) {
        try (Context context = Context.newBuilder(LANGUAGE)
                .option("engine.WarnInterpreterOnly", "false")
                .build()) {
            run(context, "browser.js", BROWSER);
            run(context, "echarts.min.js", HtmlPage.echarts());
            HtmlPage.DRAWING.forEach(name -> run(context, name, HtmlPage.script(name)));
            run(context, "files.js", HtmlPage.script("files.js"));
            Value files = run(context, "draw.js", "blobmark.files").execute(HtmlPage.json(runs));
            List<Chart> charts = new ArrayList<>();
            for (long i = 0; i < files.getArraySize(); i++) {
                Value file = files.getArrayElement(i);
                charts.add(new Chart(text(file, "id"), text(file, "name"), text(file, "svg")));
            }
            return charts;
        }
    }

    private static Value run(Context context, String name, String script) {
        return context.eval(Source.newBuilder(LANGUAGE, script, name).buildLiteral());
    }

    private static String text(Value object, String member) {
        return object.getMember(member).asString();
    }

    /** Writes an SVG and a PNG of each chart, replaces files of the same names, and returns the files. */
    static List<Path> write(List<PageRun> runs, Path directory) throws IOException {
        Files.createDirectories(directory);
        List<Path> files = new ArrayList<>();
        for (Chart chart : draw(runs)) {
            Path svg = directory.resolve(chart.id() + ".svg");
            Files.writeString(svg, chart.svg());
            Path png = directory.resolve(chart.id() + ".png");
            ImageIO.write(pixels(chart.svg()), "png", png.toFile());
            files.add(svg);
            files.add(png);
        }
        return files;
    }

    static BufferedImage pixels(String svg) {
        SVGDocument document = new SVGLoader()
                .load(
                        new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)),
                        null,
                        LoaderContext.createDefault());
        if (document == null) {
            throw new IllegalArgumentException("this is not an SVG: " + svg.substring(0, Math.min(80, svg.length())));
        }
        FloatSize size = document.size();
        BufferedImage image = new BufferedImage(
                Math.round(SCALE * size.width), Math.round(SCALE * size.height), BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        try {
            graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
            graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
            graphics.scale(SCALE, SCALE);
            document.render(null, graphics, null);
        } finally {
            graphics.dispose();
        }
        return image;
    }
}
