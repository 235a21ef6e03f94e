package dev.blobmark.cli;

import dev.blobmark.lab.conduct.Doctor;
import dev.blobmark.lab.conduct.Laboratory;
import dev.blobmark.lab.conduct.RunOptions;
import dev.blobmark.lab.link.Delivery;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.machine.Checkup;
import dev.blobmark.lab.machine.Finding;
import dev.blobmark.lab.machine.KeepAwake;
import dev.blobmark.lab.machine.Need;
import dev.blobmark.lab.machine.SystemTree;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.study.Studies;
import dev.blobmark.lab.study.Study;
import dev.blobmark.report.Findings;
import dev.blobmark.report.document.Style;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code blobmark doctor}: checks this machine, and a server, for what makes figures noisy or wrong. */
@Command(
        name = "doctor",
        description = "Looks for what makes figures noisy or wrong, and says what to do about it.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class DoctorCommand extends BlobmarkCommand {

    /** The study whose needs (memory, disk, buffer pool) are checked. */
    private static final String STUDY = "blob-fetch";

    @ArgGroup
    private DoctorServer server = new DoctorServer();

    static final class DoctorServer {
        @Option(
                names = "--server",
                paramLabel = "SERVER",
                defaultValue = "embedded",
                description = "Whose variables to look at; see 'blobmark list servers'. Default: embedded.")
        String name = "embedded";

        @Option(names = "--no-server", description = "Look at the machine alone.")
        boolean none;
    }

    @Mixin
    private ConnectionOptions connection;

    @Option(
            names = "--keep-awake",
            description = "Measure also how fast cores wake that are kept out of idle, as 'run --keep-awake' does.")
    private boolean keepAwake;

    @Option(
            names = "--link",
            paramLabel = "LINK",
            split = ",",
            description = "Measure also what emulated links deliver here: wifi,'200mbit 3ms'.")
    private List<String> links = List.of();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "table or json. Default: ${DEFAULT-VALUE}.")
    private String format;

    @Override
    public Integer call() throws Exception {
        if (!List.of("table", "json").contains(format)) {
            throw usage("--format: '" + format + "' is none of table, json");
        }
        List<Link> parsed = links.stream()
                .map(level -> parsed("--link", level, Link::parse))
                .toList();
        Optional<Servers.Source> source =
                server.none ? Optional.empty() : Optional.of(connection.source(server.name, true, spec));
        PrintWriter out = out();
        Path runs = Path.of("runs").toAbsolutePath();
        Need need = need();
        List<Finding> findings = new ArrayList<>();
        Consumer<Finding> found = findings::add;
        boolean table = format.equals("table");
        if (table) {
            Style style = Terminal.style();
            // printed one by one: some take a second to measure
            found = found.andThen(finding -> print(finding, style, out));
        }
        new Checkup(SystemTree.HERE, Variables.cache(), runs, need).all(keepAwake, found);
        if (!parsed.isEmpty()) {
            measure(parsed, found);
        }
        if (source.isPresent()) {
            new Doctor(source.get(), Variables.cache(), need).examine(found);
        }
        out.println(table ? "\n" + Findings.count(findings) : Findings.json(findings));
        out.flush();
        return ExitCode.DONE.code();
    }

    /** With cores kept awake where that pays, as in a run. */
    private static void measure(List<Link> those, Consumer<Finding> found) throws IOException {
        Optional<KeepAwake> awake = KeepAwake.pays() ? Optional.of(KeepAwake.start()) : Optional.empty();
        try {
            for (Link link : those) {
                found.accept(Doctor.finding(Delivery.of(link)));
            }
        } finally {
            awake.ifPresent(KeepAwake::close);
        }
    }

    private static void print(Finding finding, Style style, PrintWriter out) {
        try {
            Findings.text(finding, style, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out.flush();
    }

    private static Need need() throws IOException {
        Study study = Studies.read(STUDY, Factors.VOCABULARY, Optional.empty());
        RunOptions options = new RunOptions(
                Servers.parse("embedded"), Variables.cache(), ForkMain.launch(List.of()), Version.number());
        return new Laboratory(
                        study, options, new RunProgress(new PrintWriter(PrintWriter.nullWriter()), OptionalInt.empty()))
                .estimate()
                .need(study.name());
    }
}
