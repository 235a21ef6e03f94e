package dev.blobmark.report;

import static dev.blobmark.report.document.HtmlWriter.escape;

import dev.blobmark.advice.Advice;
import dev.blobmark.advice.RegimeMap;
import dev.blobmark.lab.link.Link;
import java.util.List;
import java.util.Locale;

/** Draws a {@link RegimeMap} as SVG. Each candidate has a colour and a letter. */
final class RegimeSvg {

    /** M. Okabe and K. Ito's colours, which colour-blind readers can distinguish; with dark letters on them. */
    private static final List<String> COLOURS =
            List.of("#56b4e9", "#e69f00", "#3cc29b", "#f0e442", "#e08bbd", "#f28e5c", "#a9b7c6", "#c7b299");

    private static final List<String> TICKS = List.of("1mbit", "10mbit", "100mbit", "1gbit", "10gbit");

    private static final int LEFT = 96;
    private static final int TOP = 44;
    private static final int CELL = 22;
    private static final int LEGEND_ROW = 22;

    private RegimeSvg() {}

    /**
     * @param ids of candidates in the order of their colours, the same for all maps of an advice
     * @param isFile whether it stands alone: then it has a ground of its own
     */
    static String of(RegimeMap map, List<String> ids, Advice advice, boolean isFile) {
        int columns = map.bandwidths().size();
        int rows = map.rows().size();
        int width = LEFT + columns * CELL + 20;
        int bottom = TOP + rows * CELL;
        int height = bottom + 56 + map.candidates().size() * LEGEND_ROW;
        StringBuilder svg = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" aria-label=\"%s\""
                        + " font-family=\"system-ui, sans-serif\" font-size=\"12\" %s>%n",
                width,
                height,
                width,
                escape(map.title() + " for " + advice.question().dataset()),
                isFile ? "color=\"#1f2328\"" : ""));
        if (isFile) {
            svg.append("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
        }
        text(
                svg,
                8,
                18,
                "start",
                map.title() + ": what would be recommended for "
                        + advice.question().dataset(),
                13);
        for (int row = 0; row < rows; row++) {
            int y = bottom - (row + 1) * CELL;
            RegimeMap.RegimeRow of = map.rows().get(row);
            text(svg, LEFT - 8, y + 15, "end", of.label(), 12);
            for (int column = 0; column < columns; column++) {
                cell(svg, LEFT + column * CELL, y, ids.indexOf(of.candidates().get(column)));
            }
            if (of.isOfAdvice()) {
                int x = LEFT + map.column(Link.parse(advice.question().link())) * CELL;
                svg.append(String.format(
                        Locale.ROOT,
                        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"currentColor\""
                                + " stroke-width=\"3\"><title>the load of the advice</title></rect>%n",
                        x,
                        y,
                        CELL,
                        CELL));
            }
        }
        text(svg, LEFT - 8, TOP - 8, "end", map.rowTitle(), 12);
        for (String tick : TICKS) {
            text(
                    svg,
                    LEFT + map.column(Link.parse(tick)) * CELL + CELL / 2,
                    bottom + 16,
                    "middle",
                    tick.replace("mbit", " Mbit/s").replace("gbit", " Gbit/s"),
                    11);
        }
        List<String> shown = ids.stream().filter(map.candidates()::contains).toList();
        for (int i = 0; i < shown.size(); i++) {
            int y = bottom + 34 + i * LEGEND_ROW;
            cell(svg, LEFT, y, ids.indexOf(shown.get(i)));
            text(
                    svg,
                    LEFT + CELL + 8,
                    y + 15,
                    "start",
                    advice.find(shown.get(i)).map(AdviceWords::of).orElse(shown.get(i)),
                    12);
        }
        return svg.append("</svg>\n").toString();
    }

    private static void cell(StringBuilder svg, int x, int y, int candidate) {
        svg.append(String.format(
                Locale.ROOT,
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"#ffffff\" stroke-width=\".5\"/>"
                        + "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"11\" fill=\"#1f2328\">%c</text>%n",
                x,
                y,
                CELL,
                CELL,
                COLOURS.get(candidate % COLOURS.size()),
                x + CELL / 2,
                y + 15,
                (char) ('a' + candidate % 26)));
    }

    private static void text(StringBuilder svg, int x, int y, String anchor, String text, int size) {
        svg.append(String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" font-size=\"%d\" fill=\"currentColor\">%s</text>%n",
                x,
                y,
                anchor,
                size,
                escape(text)));
    }
}
