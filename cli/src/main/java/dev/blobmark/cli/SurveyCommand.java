package dev.blobmark.cli;

import dev.blobmark.analysis.Prices;
import dev.blobmark.analysis.survey.SurveyFindings;
import dev.blobmark.analysis.survey.WholeColumnFinding;
import dev.blobmark.lab.hosts.Cluster;
import dev.blobmark.lab.run.PrivateFiles;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.survey.Survey;
import dev.blobmark.lab.survey.SurveyDirectory;
import dev.blobmark.lab.survey.SurveyEnding;
import dev.blobmark.lab.survey.SurveyOptions;
import dev.blobmark.mysql.admission.ByteAmount;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.column.Census;
import dev.blobmark.reencode.column.ColumnReading;
import dev.blobmark.reencode.column.StoredColumn;
import dev.blobmark.report.Format;
import dev.blobmark.report.Formats;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code blobmark survey}: which columns of a server are worth compressing. */
@Command(
        name = "survey",
        description = {
            "Looks over a server for columns that are worth compressing: reads a small sample of each, and ranks them by"
                    + " the bytes that would be saved. Writes nothing to the server."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  blobmark survey --server mysql://app@db1:3306/",
            "  blobmark survey --server mysql://app@db1/ --schemas shop,blog --prices prices.yaml",
            "  blobmark survey --server mysql://app@db1/ --resume runs/2026-11-21T10-15-00-survey",
            "  blobmark survey --server mysql://app@db1/ --values shop.orders.payload",
            "  blobmark survey --server mysql://app@db1/ --data shop.orders.doc --on spark://m:7077 --hosts 8",
            "  blobmark survey --data lake/orders.parquet#payload --on spark://m:7077 --hosts 8",
            "  blobmark report runs/2026-11-21T10-15-00-survey"
        })
final class SurveyCommand extends BlobmarkCommand {

    /** The survey's own options are continued. */
    private static final Set<String> NOT_WITH_RESUME =
            Set.of("--schemas", "--exclude", "--min-size", "--max-statement", "--seed", "--out");

    /** Not with one column. */
    private static final Set<String> OF_MANY_COLUMNS = Set.of(
            "--schemas",
            "--exclude",
            "--min-size",
            "--max-read",
            "--max-statement",
            "--seed",
            "--prices",
            "--out",
            "--resume");

    /** Not with a column that this machine reads. */
    private static final Set<String> OF_CLUSTER =
            Set.of("--data", "--sample", "--on", "--hosts", "--spark-conf", "--spark-conf-file", "--insecure-cluster");

    /** The others are of a server. */
    private static final Set<String> OF_FILES = Set.of(
            "--data",
            "--sample",
            "--on",
            "--hosts",
            "--spark-conf",
            "--spark-conf-file",
            "--insecure-cluster",
            "--format");

    @Option(
            names = "--server",
            paramLabel = "SERVER",
            description = "The running server: mysql://USER@HOST:PORT/. SELECT is the only privilege that is needed.")
    private String server;

    @Option(
            names = "--data",
            paramLabel = "COLUMN",
            description =
                    "With --on: one column, all of whose values the hosts read: SCHEMA.TABLE.COLUMN of the server, or,"
                            + " without a server, PATH#COLUMN of Parquet, ORC, Avro, JSON lines or Delta:"
                            + " s3a://lake/orders.parquet#payload.")
    private String data;

    @Option(
            names = "--values",
            paramLabel = "SCHEMA.TABLE.COLUMN",
            description =
                    "One column, all of whose values are read and decoded here: how many are stored in which form, with"
                            + " which codec and dictionary, and which cannot be read.")
    private String values;

    @Mixin
    private ColumnOptions column;

    @Option(
            names = "--sample",
            paramLabel = "DIR",
            description =
                    "With --data: write about 1,000 of the values as files to a new directory, for advise and run.")
    private Path sample;

    @Mixin
    private ClusterOptions clusters;

    @Option(
            names = "--schemas",
            paramLabel = "NAME,NAME",
            split = ",",
            description = "Schemas to look at. Default: all but those of the server itself.")
    private List<String> schemas = List.of();

    @Option(
            names = "--exclude",
            paramLabel = "NAME,NAME",
            split = ",",
            description = "Schemas, and tables as SCHEMA.TABLE, to leave out.")
    private List<String> exclude = List.of();

    @Option(
            names = "--min-size",
            paramLabel = "SIZE",
            defaultValue = "16MB",
            description = "Leave out tables with less data. Default: ${DEFAULT-VALUE}.")
    private String minSize;

    @Option(
            names = "--max-read",
            paramLabel = "SIZE",
            defaultValue = "2GB",
            description =
                    "End when the server has read this many bytes of values; the last column may exceed it. Default:"
                            + " ${DEFAULT-VALUE}.")
    private String maxRead;

    @Option(
            names = "--max-statement",
            paramLabel = "MILLISECONDS",
            defaultValue = "100",
            description = "The server ends a statement that reads a table after this time. Default: ${DEFAULT-VALUE}.")
    private int maxStatement;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Chooses the positions that are read. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Mixin
    private PricesOption prices;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            completionCandidates = SurveyFormatWords.class,
            defaultValue = "table",
            description = "One of ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private String format;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "The directory of the survey; default: a new one below runs/.")
    private Path out;

    @Option(
            names = "--resume",
            paramLabel = "DIR",
            description = "Continue a survey that was ended before all columns were read.")
    private Path resume;

    @Mixin
    private LoadOptions load;

    @Mixin
    private ConnectionOptions connection;

    /** All formats with their contents, for the help. */
    static final class SurveyFormatWords implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Formats.OF_SURVEY.help().iterator();
        }
    }

    /** The form of a survey that a word names. */
    static Format<SurveyFindings> format(String word, BlobmarkCommand command) {
        return Formats.OF_SURVEY
                .find(word)
                .orElseThrow(() -> command.usage("--format: '" + word + "' is none of " + Formats.OF_SURVEY.words()));
    }

    @Override
    public Integer call() throws Exception {
        checkWords();
        if (values != null) {
            return countForms();
        }
        if (data != null) {
            return surveyColumn();
        }
        Format<SurveyFindings> form = format(format, this);
        Optional<Prices> costs = prices.read();
        SurveyOptions options = new SurveyOptions(
                parsed("--min-size", minSize, ByteAmount::parse),
                schemas,
                exclude,
                parsed("--max-read", maxRead, ByteAmount::parse),
                statement(),
                seed);
        Optional<SurveyDirectory> stopped = Optional.ofNullable(resume).map(SurveyDirectory::open);
        Servers.Source source = running();
        try (RunProgress progress = new RunProgress(err(), Terminal.columns())) {
            Survey survey = new Survey(
                    source, Variables.cache(), load.tolerated(), Version.number(), new SurveyProgress(progress));
            return run(survey, options, stopped, progress, form, costs);
        }
    }

    /** The forms of all values of one column. */
    private int countForms() throws Exception {
        Format<Census> form = Formats.OF_CENSUS
                .find(format)
                .orElseThrow(() -> usage("--format: '" + format + "' is none of " + Formats.OF_CENSUS.words()));
        TableColumn table = parsed("--values", values, TableColumn::named);
        ColumnReading reading = column.reading(); // before the server is asked
        CountDownLatch ended = new CountDownLatch(1);
        try (RunProgress progress = new RunProgress(err(), Terminal.columns());
                StoredColumn stored = StoredColumn.open(
                        running(), Variables.cache(), table, reading, load.tolerated(), progress::noticeIssued)) {
            endOnInterruption("stop-survey", stored::interrupt, ended);
            Census census = Census.of(stored, new CensusProgress(progress, stored)::rowsRead);
            progress.end();
            PrintWriter printed = out();
            form.write(census, Terminal.style(), printed);
            printed.flush();
            return exitCode(census).code();
        } finally {
            ended.countDown();
        }
    }

    private static ExitCode exitCode(Census census) {
        if (!census.isComplete()) {
            return ExitCode.INTERRUPTED;
        }
        return census.unreadable() == 0 ? ExitCode.DONE : ExitCode.ERROR;
    }

    /** All values of one column, of files or of a table, by the hosts of a cluster. */
    private int surveyColumn() throws Exception {
        Format<WholeColumnFinding> form = Formats.OF_WHOLE_COLUMN
                .find(format)
                .orElseThrow(() -> usage("--format: '" + format + "' is none of " + Formats.OF_WHOLE_COLUMN.words()));
        if (sample != null && Files.exists(sample)) {
            throw usage("--sample: " + sample + " exists; name a directory that does not");
        }
        if (sample != null) {
            PrivateFiles.requireOwn(sample); // before the values are read
        }
        Optional<TableColumn> table =
                server == null ? Optional.empty() : Optional.of(parsed("--data", data, TableColumn::named));
        Optional<Cluster.FileColumn> files =
                server == null ? Optional.of(parsed("--data", data, WholeColumnSurvey::column)) : Optional.empty();
        Optional<Servers.Source> source = table.map(column -> running());
        PrintWriter err = err();
        try (Cluster cluster = clusters.open(Path.of(System.getProperty("java.io.tmpdir")))
                        .orElseThrow();
                RunProgress progress = new RunProgress(err, Terminal.columns())) {
            Consumer<String> started = step -> {
                err.println(step);
                err.flush();
            };
            String name = table.map(TableColumn::name)
                    .orElseGet(() -> files.orElseThrow().path() + "#"
                            + files.orElseThrow().name());
            started.accept("reading " + name + " by the hosts");
            Cluster.Scanned scanned = table.isPresent()
                    ? ColumnScan.run(source.orElseThrow(), table.get(), load.tolerated(), cluster, progress)
                    : cluster.scan(files.orElseThrow());
            progress.end();
            WholeColumnFinding finding = WholeColumnSurvey.of(name, scanned, started);
            PrintWriter printed = out();
            form.write(finding, Terminal.style(), printed);
            printed.flush();
            if (sample != null && finding.rows() > 0) {
                int written = WholeColumnSurvey.write(scanned, sample);
                err.println("Sample: " + written + " values in " + sample + "; for advice on them:");
                err.println("  blobmark advise --data " + sample);
            }
        }
        return ExitCode.DONE.code();
    }

    private Servers.Source running() {
        Servers.Source source = connection.source(server, true, spec);
        if (source.isOwn()) {
            throw usage("--server: '" + server
                    + "' is a server that Blobmark starts, and has no table of yours; name a running"
                    + " one, as in --server mysql://USER@HOST:PORT/");
        }
        return source;
    }

    private int run(
            Survey survey,
            SurveyOptions options,
            Optional<SurveyDirectory> stopped,
            RunProgress progress,
            Format<SurveyFindings> form,
            Optional<Prices> costs)
            throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        endOnInterruption("stop-survey", survey::interrupt, ended);
        LazyDirectory place = new LazyDirectory(stopped);
        try {
            SurveyEnding ending = stopped.isPresent()
                    ? survey.resume(stopped.get(), options.maxReadBytes())
                    : begin(survey, options, place);
            progress.close();
            if (place.made.isPresent()) {
                print(place.made.get(), ending, form, costs);
            }
            return exitCode(ending).code();
        } catch (SQLException e) { // the connection was lost
            progress.close();
            place.made.ifPresent(directory -> printHowToResume(directory, ""));
            throw e;
        } finally {
            ended.countDown();
        }
    }

    /** The directory, made when the server has been reached. */
    private static final class LazyDirectory {
        private Optional<SurveyDirectory> made;

        LazyDirectory(Optional<SurveyDirectory> made) {
            this.made = made;
        }
    }

    private SurveyEnding begin(Survey survey, SurveyOptions options, LazyDirectory place) throws Exception {
        try {
            return survey.begin(options, () -> {
                SurveyDirectory directory = out == null
                        ? SurveyDirectory.create(Path.of("runs"), Instant.now())
                        : SurveyDirectory.createAt(out);
                place.made = Optional.of(directory);
                return directory;
            });
        } catch (IllegalArgumentException e) {
            throw usage("--schemas: " + e.getMessage(), e);
        }
    }

    private void print(
            SurveyDirectory directory, SurveyEnding ending, Format<SurveyFindings> form, Optional<Prices> costs)
            throws Exception {
        PrintWriter err = err();
        PrintWriter printed = out();
        form.write(SurveyFindings.of(directory.read(), costs, server), Terminal.style(), printed);
        printed.flush();
        if (ending != SurveyEnding.COMPLETE) {
            printHowToResume(directory, ending == SurveyEnding.MAX_READ ? " --max-read SIZE" : "");
        }
        err.println("Survey: " + directory.path());
        err.flush();
    }

    private void printHowToResume(SurveyDirectory directory, String more) {
        PrintWriter err = err();
        err.println("To continue with the missing columns:");
        err.println("  blobmark survey --server " + server + " --resume " + directory.path() + more);
    }

    private static ExitCode exitCode(SurveyEnding ending) {
        return switch (ending) {
            case COMPLETE, MAX_READ -> ExitCode.DONE;
            case INTERRUPTED -> ExitCode.INTERRUPTED;
            case CRITICAL_LOAD -> ExitCode.CRITICAL_LOAD;
            case WATCH_LOST -> ExitCode.WATCH_LOST;
        };
    }

    private void checkWords() {
        if (server == null && data == null && values == null) {
            throw usage(
                    "name a server by --server mysql://USER@HOST:PORT/, or files by --data PATH#COLUMN and --on MASTER");
        }
        if (values == null && column.isGiven()) {
            throw usage("--reads, --reads-sql, --collisions-are-legacy and --max-length are for --values");
        }
        if (values != null) {
            refuse(
                    option -> OF_MANY_COLUMNS.contains(option) || OF_CLUSTER.contains(option),
                    "--values reads one column of a server from this machine");
            if (server == null) {
                throw usage("--values needs --server mysql://USER@HOST:PORT/");
            }
        }
        if (data == null && sample != null) {
            throw usage("--sample is for --data");
        }
        clusters.hosts();
        if (data == null && clusters.isUsed()) {
            throw usage(
                    "--on is for --data SCHEMA.TABLE.COLUMN; all columns of a server are surveyed from this machine");
        }
        if (data != null && !clusters.isUsed()) {
            throw usage("--data needs --on: the master of the Spark cluster that reads the column");
        }
        if (data != null && server == null) {
            refuse(option -> !OF_FILES.contains(option), "--data PATH#COLUMN reads files, and uses no server");
        } else if (data != null) {
            refuse(OF_MANY_COLUMNS::contains, "--data reads one column");
        } else if (resume != null) {
            refuse(NOT_WITH_RESUME::contains, "--resume continues with the survey's own columns and directory");
        }
    }

    private int statement() {
        if (maxStatement < 1) {
            throw usage("--max-statement: " + maxStatement + " ms; it must be 1 or more");
        }
        return maxStatement;
    }
}
