package dev.blobmark.cli;

import dev.blobmark.codec.CodecFamily;
import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.conduct.StoreServerKinds;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.study.Control;
import dev.blobmark.lab.study.Method;
import dev.blobmark.lab.study.Spelling;
import dev.blobmark.lab.study.Studies;
import dev.blobmark.lab.study.StudyDescription;
import dev.blobmark.report.document.TextWriter;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code blobmark list}: lists what a study may name. */
@Command(name = "list", description = "Lists what there is to choose from.", mixinStandardHelpOptions = true)
final class ListCommand implements Runnable {

    /** What can be listed, as the user writes it. */
    enum Listed {
        studies,
        codecs,
        layouts,
        datasets,
        servers,
        links,
        methods,
        factors,
        metrics;

        static final List<String> WORDS =
                Arrays.stream(values()).map(Listed::name).toList();
    }

    private static final String GAP = "  ";

    /** The least width of a wrapped column. With less room, the last column is left out. */
    private static final int NARROWEST = 18;

    @Spec
    private CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "WHAT",
            description = "studies, codecs, layouts, datasets, servers, links, methods, factors or metrics.")
    private String what;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "STUDY",
            description = "With methods: those of this study alone.")
    private String study;

    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        if (!Listed.WORDS.contains(what)) {
            throw new ParameterException(
                    spec.commandLine(), "there is no list of '" + what + "'; " + Spelling.suggest(what, Listed.WORDS));
        }
        if (study != null && !what.equals(Listed.methods.name())) {
            throw new ParameterException(
                    spec.commandLine(), "'" + study + "' is one word too many; only 'list methods' takes a study");
        }
        switch (Listed.valueOf(what)) {
            case studies ->
                print(
                        out,
                        List.of("STUDY", "PROFILES", "QUESTION", "SOURCE"),
                        Studies.describe().stream()
                                .map(s -> List.of(s.name(), String.join(", ", s.profiles()), s.question(), s.source()))
                                .toList());
            case codecs ->
                print(
                        out,
                        List.of("CODEC", "DEFAULT", "RANGE", "+len", "WRITES", "LIBRARY"),
                        Codecs.all().stream().map(ListCommand::row).toList());
            case layouts ->
                print(
                        out,
                        List.of("LAYOUT", "WHAT IT IS"),
                        Layout.ALL.stream()
                                .map(l -> List.of(l.id(), l.description()))
                                .toList());
            case datasets ->
                print(
                        out,
                        List.of("DATASET", "VALUES"),
                        Datasets.all().stream()
                                .map(d -> List.of(d.name(), d.summary()))
                                .toList());
            case servers ->
                print(
                        out,
                        List.of("SERVER", "WHAT IT IS"),
                        Stream.concat(
                                        Servers.kinds().stream().map(k -> List.of(k.form(), k.description())),
                                        StoreServerKinds.ALL.stream()
                                                .map(kind -> List.of(
                                                        ServerArguments.prefix(kind) + "SERVER",
                                                        "the " + kind.kind().product() + " of a study that has one: "
                                                                + kind.forms())))
                                .toList());
            case links ->
                print(
                        out,
                        List.of("LINK", "IN FIGURES", "LIKE"),
                        Link.presets().stream()
                                .map(p -> List.of(p.name(), p.link().inFigures(), p.description()))
                                .toList());
            case methods -> print(out, List.of("STUDY", "METHOD", "CHOICES"), methodRows());
            case factors ->
                print(
                        out,
                        List.of("FACTOR", "DEFAULT", "LEVELS", "WHAT IT IS"),
                        Factors.VOCABULARY.factors().stream()
                                .map(f -> List.of(
                                        f.name(),
                                        f.defaultLevel().orElse("-"),
                                        String.join(", ", f.levels()),
                                        f.description()))
                                .toList());
            case metrics ->
                print(
                        out,
                        List.of("METRIC", "BETTER", "WHAT IT IS"),
                        Stream.of(Metric.values())
                                .map(m -> List.of(m.word(), m.higherIsBetter() ? "higher" : "lower", m.noun()))
                                .toList());
        }
        out.flush();
    }

    /** The methods of all profiles of the studies, with the choices that differ from the documented defaults. */
    private List<List<String>> methodRows() {
        if (study != null && !Studies.names().contains(study)) {
            throw new ParameterException(
                    spec.commandLine(), "unknown study '" + study + "'; " + Spelling.suggest(study, Studies.names()));
        }
        return Studies.describe().stream()
                .filter(described -> study == null || described.name().equals(study))
                .flatMap(described -> profiles(described)
                        .flatMap(profile ->
                                Studies.read(described.name(), Factors.VOCABULARY, profile).methods().stream())
                        .filter(method -> !method.id().equals(Control.ID))
                        .map(method -> List.of(described.name(), method.id(), choices(method)))
                        .distinct())
                .toList();
    }

    private static Stream<Optional<String>> profiles(StudyDescription study) {
        return study.profiles().isEmpty()
                ? Stream.of(Optional.empty())
                : study.profiles().stream().map(Optional::of);
    }

    private static String choices(Method method) {
        String choices = Factors.VOCABULARY.identity(method.levels());
        return choices.isEmpty() ? "-" : choices;
    }

    private static List<String> row(CodecFamily codec) {
        return List.of(
                codec.name(),
                codec.levels()
                        .map(levels -> Integer.toString(levels.standard()))
                        .orElse("-"),
                codec.levels()
                        .map(levels -> levels.lowest() + ".." + levels.highest())
                        .orElse("-"),
                codec.takesLength() ? "yes" : "-",
                codec.summary(),
                codec.unavailable()
                        .map(reason -> "not available here: " + reason)
                        .orElseGet(codec::library));
    }

    /** Prints columns. On a narrow terminal all but the first are wrapped, or the last is left out. */
    private static void print(PrintWriter out, List<String> head, List<List<String>> rows) {
        print(out, head, rows, Terminal.style().columns());
    }

    static void print(PrintWriter out, List<String> head, List<List<String>> rows, int columns) {
        List<List<String>> all = Stream.concat(Stream.of(head), rows.stream()).toList();
        int[] widths = IntStream.range(0, head.size())
                .map(i ->
                        all.stream().mapToInt(row -> row.get(i).length()).max().orElse(0))
                .toArray();
        while (Arrays.stream(widths).sum() + GAP.length() * (widths.length - 1) > columns) {
            int widest = IntStream.range(1, widths.length)
                    .reduce(1, (one, other) -> widths[other] > widths[one] ? other : one);
            if (widths[widest] <= NARROWEST && widths.length > 2) {
                int last = head.size() - 1;
                print(
                        out,
                        head.subList(0, last),
                        rows.stream().map(row -> row.subList(0, last)).toList(),
                        columns);
                return;
            }
            widths[widest]--;
        }
        for (List<String> row : all) {
            List<List<String>> cells = IntStream.range(0, widths.length)
                    .mapToObj(i -> TextWriter.wrap(row.get(i), Math.max(1, widths[i])))
                    .toList();
            int lines = cells.stream().mapToInt(List::size).max().orElse(1);
            for (int n = 0; n < lines; n++) {
                StringBuilder line = new StringBuilder();
                for (int i = 0; i < widths.length; i++) {
                    String cell = n < cells.get(i).size() ? cells.get(i).get(n) : "";
                    line.append(cell)
                            .append(" ".repeat(Math.max(0, widths[i] - cell.length())))
                            .append(GAP);
                }
                out.println(line.toString().stripTrailing());
            }
        }
    }
}
