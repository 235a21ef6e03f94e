package dev.blobmark.report;

import com.github.weisj.jsvg.SVGDocument;
import com.github.weisj.jsvg.parser.LoaderContext;
import com.github.weisj.jsvg.parser.SVGLoader;
import com.github.weisj.jsvg.view.FloatSize;
import dev.blobmark.mysql.server.directory.Trees;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.Source;
import org.graalvm.polyglot.Value;

/**
 * The charts of the page as files for articles: drawn by the page's own scripts and its charting library, which draws
 * to text without a browser (Apache ECharts, "Server-side rendering").
 */
public final class StaticCharts implements AutoCloseable {

    /** Pixels of a PNG for each pixel of the SVG, for screens with high resolution and for print. */
    private static final int SCALE = 2;

    /** Functions of a browser that the charting library refers to and does not need here. */
    private static final String BROWSER = "globalThis.setTimeout = () => 0; globalThis.clearTimeout = () => {};";

    private static final String LANGUAGE = "js";

    /** A property of the engine (Truffle 25.0, InternalResourceRoots). */
    private static final String UNPACKED = "polyglot.engine.userResourceCache";

    private final ExecutorService drawing = Executors.newSingleThreadExecutor(StaticCharts::daemon);

    /** Half of the time goes into loading the library, which no run is needed for. */
    private final Future<Context> library = drawing.submit(StaticCharts::load);

    private StaticCharts() {}

    /** Begins to load the charting library in the background. */
    public static StaticCharts start() {
        return new StaticCharts();
    }

    /**
     * Waits for the charts that were begun, and ends the drawing. An exit of the JVM meanwhile would fail: it flushes
     * the log of each engine, also of one that is being closed.
     */
    @Override
    public void close() {
        Future<Boolean> closed = drawing.submit(() -> {
            library.get().close();
            return true;
        });
        drawing.shutdown();
        get(closed);
    }

    /** @param id the stem of the file's name */
    record DrawnChart(String id, String svg) {}

    /**
     * Where the engine unpacks its native library, and loads it from. By default it does so in the user's cache, with
     * the permissions that the umask gives, and does not look whose library is there already.
     */
    private static void unpackPrivately() {
        if (System.getProperty(UNPACKED) != null) {
            return;
        }
        try {
            Path own = Files.createTempDirectory("blobmark-charts-"); // only its owner may enter it
            System.setProperty(UNPACKED, own.toAbsolutePath().toString());
            Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(own), "charts-end"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void remove(Path directory) {
        try {
            Trees.delete(directory);
        } catch (IOException e) {
            // the next start of the launcher empties the directory for temporary files
        }
    }

    private static Context load() {
        unpackPrivately();
        Context context = Context.newBuilder(LANGUAGE)
                .option("engine.WarnInterpreterOnly", "false")
                .build();
        run(context, "browser.js", BROWSER);
        run(context, "echarts.min.js", HtmlPage.echarts());
        HtmlPage.DRAWING.forEach(name -> run(context, name, HtmlPage.script(name)));
        run(context, "files.js", HtmlPage.script("files.js"));
        return context;
    }

    /** All charts, in the order of the page; each is drawn while those before it are used. */
    Stream<DrawnChart> draw(List<PageRun> runs) {
        Future<Value> files = drawing.submit(
                () -> run(library.get(), "draw.js", "blobmark.files").execute(HtmlPage.json(runs)));
        long count = get(drawing.submit(() -> files.get().getArraySize()));
        List<Future<DrawnChart>> charts = LongStream.range(0, count)
                .mapToObj(i -> drawing.submit(() -> {
                    Value file = files.get().getArrayElement(i);
                    return new DrawnChart(
                            file.getMember("id").asString(),
                            file.invokeMember("draw").asString());
                }))
                .toList();
        return charts.stream().map(StaticCharts::get);
    }

    private static Thread daemon(Runnable drawing) {
        Thread thread = new Thread(drawing, "charts");
        thread.setDaemon(true);
        return thread;
    }

    private static <T> T get(Future<T> drawn) {
        try {
            return drawn.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("a script of the page failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static Value run(Context context, String name, String script) {
        return context.eval(Source.newBuilder(LANGUAGE, script, name).buildLiteral());
    }

    /**
     * Writes each chart of a page as an SVG and a PNG, and replaces files of the same names.
     *
     * @param directory created if it does not exist
     * @return the files
     */
    public List<Path> write(Page page, Path directory) throws IOException {
        Files.createDirectories(directory);
        List<Path> files = new ArrayList<>();
        for (DrawnChart chart : (Iterable<DrawnChart>) draw(page.runs())::iterator) {
            Path svg = directory.resolve(chart.id() + ".svg");
            try (OutputStream out = replaced(svg)) {
                out.write(chart.svg().getBytes(StandardCharsets.UTF_8));
            }
            Path png = directory.resolve(chart.id() + ".png");
            try (OutputStream out = replaced(png)) {
                ImageIO.write(pixels(chart.svg()), "png", out);
            }
            files.add(svg);
            files.add(png);
        }
        return files;
    }

    /** Of a link, the link is replaced, and not its target. */
    private static OutputStream replaced(Path file) throws IOException {
        Files.deleteIfExists(file);
        return Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
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
