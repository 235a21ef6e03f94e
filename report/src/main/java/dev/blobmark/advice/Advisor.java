package dev.blobmark.advice;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Rankings;
import dev.blobmark.lab.conduct.Ending;
import dev.blobmark.lab.conduct.Laboratory;
import dev.blobmark.lab.conduct.Listener;
import dev.blobmark.lab.conduct.OwnColumn;
import dev.blobmark.lab.conduct.RunOptions;
import dev.blobmark.lab.dataset.Dataset;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.dataset.Portion;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.probe.CodecFigures;
import dev.blobmark.lab.probe.CodecMemory;
import dev.blobmark.lab.probe.CodecTrials;
import dev.blobmark.lab.probe.ServerLink;
import dev.blobmark.lab.probe.StratifiedSample;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.run.Surroundings;
import dev.blobmark.lab.store.Column;
import dev.blobmark.lab.study.Method;
import dev.blobmark.lab.study.Size;
import dev.blobmark.lab.study.Study;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerIdentity;
import dev.blobmark.mysql.table.SampleLimits;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Timer;
import java.util.TimerTask;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Gives an advice: measures codecs on the values and the server by stored bytes, predicts the time of each candidate,
 * and races those that the forecast cannot distinguish.
 */
public final class Advisor {

    /** Bytes of the values on which codecs are measured, for each second of the advice; and the most. */
    private static final long CODEC_SAMPLE_BYTES_PER_SECOND = 40_000;

    private static final long MOST_CODEC_SAMPLE_BYTES = 4L << 20;

    /** A race has this time even if all of it is over. */
    private static final long LEAST_RACE_MILLIS = 15_000;

    /** The most bytes of values that a race loads into each table. */
    private static final long RACE_BYTES = 64L << 20;

    /** What is read of a user's table: values, bytes, and milliseconds of a statement. */
    public static final SampleLimits SAMPLE = new SampleLimits(5_000, RACE_BYTES, 100);

    private final AdviceQuestion question;
    private final RunOptions options;
    private final Listener listener;
    private final Duration limit;
    private final boolean isOnTheirServer;
    private final Optional<Terms> terms;
    private final long begin = System.nanoTime();

    /** Whether clients, not the server, limited the rate when the server was measured by stored bytes. */
    private boolean isCurveLimited;

    private volatile Optional<Laboratory> running = Optional.empty();
    private volatile boolean isInterrupted;

    /** Whether the time is over. */
    private volatile boolean isOver;

    /**
     * @param options with the datasets that cannot be found by name only
     * @param limit of the time that the advice may take
     * @param isOnTheirServer whether the values are measured on the server they come from
     * @param terms for costs
     */
    public Advisor(
            AdviceQuestion question,
            RunOptions options,
            Listener listener,
            Duration limit,
            boolean isOnTheirServer,
            Optional<Terms> terms) {
        this.question = question;
        this.options = options;
        this.listener = listener;
        this.limit = limit;
        this.isOnTheirServer = isOnTheirServer;
        this.terms = terms;
    }

    /** A study of the values as they are, from which a sample of a user's table can be read. */
    public static Study valuesStudy(AdviceQuestion question) {
        Candidate asIs = new Candidate(
                Candidate.AS_IS, Map.of(), new CodecFigures("none", new TreeMap<>()), Reading.ANY_CLIENT, true);
        return Race.study(question, List.of(asIs), Candidate.AS_IS, Duration.ofSeconds(1));
    }

    /**
     * Gives the advice and writes it to a directory: {@code advice.json}, and the runs {@code curve} and {@code race}.
     *
     * @throws AdviceException if something could not be measured, the advice was interrupted, or clients, not the
     *     server, limited the rate
     */
    public Advice advise(Path directory) throws IOException, SQLException, InterruptedException {
        Dataset dataset = dataset();
        Values values = values(dataset);
        List<Candidate> candidates = candidates(values);
        Optional<ServerLink> network =
                options.server().isOwn() || question.hosts().isPresent()
                        ? Optional.empty()
                        : Optional.of(network().link());
        ServerCurve curve = new Curves(options.cache(), question.threads())
                .find((sizes, name) -> measureCurve(sizes, RunDirectory.createAt(directory.resolve(name))));
        TimeForecast forecast = new TimeForecast(curve, processors());
        Map<String, Double> costs = costs(forecast, candidates);
        Map<String, String> excluded = Shortlist.excluded(candidates, question);
        List<Candidate> raced = Shortlist.of(candidates, costs, excluded, question);
        String favourite = raced.stream()
                .filter(Candidate::isPredictable)
                .min(Comparator.comparingDouble(candidate -> costs.get(candidate.id())))
                .orElseThrow()
                .id();
        RunDirectory raceRun = RunDirectory.createAt(directory.resolve("race"));
        race(Race.study(question, raced, favourite, raceLimit()), options.with(Map.of(dataset.id(), dataset)), raceRun);
        Race.RaceResult measured = Race.result(Analysis.of(raceRun), question);
        Race.RaceResult result = Weighing.of(measured.withPresent(), candidates, forecast, question.load());
        Advice advice = new Decision(question, forecast, candidates, excluded, result)
                .advice(
                        origin(raceRun.manifest(), network),
                        AdvisedValues.of(values),
                        terms,
                        notes(measured.whyForecasts(), values));
        AdviceFile.write(directory, advice);
        return advice;
    }

    /** @throws AdviceException if neither a race nor a forecast of the server can decide */
    private List<String> notes(Optional<String> whyForecasts, Values values) {
        Optional<String> limited = isCurveLimited
                ? Optional.of("the forecast is not that of the server: " + Race.LIMITED_BY_CLIENTS)
                : Optional.empty();
        if (whyForecasts.isPresent() && limited.isPresent()) {
            throw new AdviceException("nothing can be decided: " + Race.LIMITED_BY_CLIENTS);
        }
        return Stream.of(whyForecasts, limited, DictionaryNote.of(values, question.seed()))
                .flatMap(Optional::stream)
                .toList();
    }

    /**
     * Gives an advice without writing anything to the server: the forecast decides alone. It rests on answers that read
     * no table.
     *
     * @throws AdviceException if the advice was interrupted
     */
    public Advice adviseWithoutWriting(Path directory) throws IOException, SQLException, InterruptedException {
        Values values = values(dataset());
        List<Candidate> candidates = candidates(values);
        listener.stepStarted("measuring the network to the server");
        Network network = network();
        ServerCurve curve = new ServerCurve(
                1,
                network.link().answers().stream()
                        .map(answer -> new ServerCurve.SizePoint(
                                answer.bytes(),
                                network.link().roundTripNanos(),
                                answer.nanos() - network.link().roundTripNanos(),
                                0,
                                answer.bytes(),
                                0,
                                answer.nanos(),
                                0))
                        .toList());
        TimeForecast forecast = new TimeForecast(curve, processors());
        Map<String, String> excluded = new LinkedHashMap<>(Shortlist.excluded(candidates, question));
        candidates.stream()
                .filter(candidate -> !candidate.isPredictable())
                .forEach(candidate ->
                        excluded.put(candidate.id(), "only a race shows its time, and nothing was written"));
        Advice advice = new Decision(question, forecast, candidates, excluded, new Race.RaceResult(Map.of(), Map.of()))
                .advice(
                        new Advice.Origin(
                                options.program().name(), Instant.now(), network.server(), Optional.of(network.link())),
                        AdvisedValues.of(values),
                        terms,
                        Stream.concat(
                                        Stream.of(
                                                "nothing was written to the server, so nothing was raced: times are forecasts,"
                                                        + " and the time to find a row is not part of them",
                                                "open: what the server compresses itself (ROW_FORMAT=COMPRESSED, compressed"
                                                        + " pages, UNCOMPRESS() in the query)"),
                                        DictionaryNote.of(values, question.seed()).stream())
                                .toList());
        AdviceFile.write(directory, advice);
        return advice;
    }

    /** A running server, and the network to it. */
    private record Network(String server, ServerLink link) {}

    private Network network() throws SQLException {
        try (Server server = options.server().open(options.cache());
                Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            ServerIdentity identity = ServerIdentity.read(connection);
            return new Network(identity.product() + " " + identity.version(), ServerLink.measure(connection));
        }
    }

    private Values values(Dataset dataset) {
        return dataset.values(Size.parse(question.size()).bytes(), question.seed());
    }

    private List<Candidate> candidates(Values values) {
        StratifiedSample sample = StratifiedSample.of(
                values,
                Math.min(MOST_CODEC_SAMPLE_BYTES, CODEC_SAMPLE_BYTES_PER_SECOND * Math.max(1, limit.toSeconds())),
                question.seed());
        List<CodecFigures> codecs = CodecTrials.measure(CodecTrials.candidates(), sample, codec -> {
            requireGoingOn();
            listener.stepStarted("trying " + codec + " on the values");
        });
        requireGoingOn();
        List<CodecFigures> kept = new ArrayList<>(frontier(codecs, sample));
        if (question.mustReadInSql()) {
            // others are better in each respect, but SQL cannot read them
            frontier(codecs.stream().filter(Candidate::isReadInSql).toList(), sample).stream()
                    .filter(figures ->
                            kept.stream().noneMatch(one -> one.codec().equals(figures.codec())))
                    .forEach(kept::add);
        }
        return Candidate.of(kept);
    }

    private List<CodecFigures> frontier(List<CodecFigures> codecs, StratifiedSample sample) {
        if (question.maxMemoryBytes().isEmpty()) {
            return CodecTrials.frontier(codecs);
        }
        CodecMemory memory = new CodecMemory(sample.longest());
        return CodecTrials.frontier(codecs, question.maxMemoryBytes().getAsLong(), codec -> {
            requireGoingOn();
            listener.stepStarted("measuring the memory of " + codec);
            return memory.applyAsLong(codec);
        });
    }

    /** Of the client that fetches; of several hosts, those of the smallest. */
    private int processors() throws IOException {
        return options.launch().hosts().stream()
                .mapToInt(measuring -> measuring.host().cores())
                .min()
                .orElse(Runtime.getRuntime().availableProcessors());
    }

    /** Predicted nanoseconds of reads and writes by their shares, by candidate. */
    private Map<String, Double> costs(TimeForecast forecast, List<Candidate> candidates) {
        Map<String, Double> costs = new LinkedHashMap<>();
        candidates.forEach(candidate -> costs.put(
                candidate.id(),
                question.cost(
                        forecast.readNanos(candidate.figures(), question.load()),
                        TimeForecast.writeNanos(
                                candidate.figures(), question.load().link()))));
        return costs;
    }

    /**
     * Measures the recommended candidate of an advice again, next to the present way of storing and the next best.
     *
     * @param directory receives the run {@code race}
     * @throws AdviceException as {@link #advise}
     */
    public Recheck check(Advice advice, Path directory) throws IOException, SQLException, InterruptedException {
        Dataset dataset = dataset();
        List<Candidate> raced = Stream.of(
                        Optional.of(advice.recommended()),
                        Optional.of(advice.present()),
                        advice.worth().next().flatMap(advice::find))
                .flatMap(Optional::stream)
                .map(Advice.Entry::candidate)
                .distinct()
                .toList();
        RunDirectory run = RunDirectory.createAt(directory.resolve("race"));
        race(
                Race.study(question, raced, advice.recommended().id(), raceLimit()),
                options.with(Map.of(dataset.id(), dataset)),
                run);
        return Recheck.of(advice, Race.result(Analysis.of(run), question));
    }

    private Curves.MeasuredCurve measureCurve(List<String> sizes, RunDirectory directory)
            throws IOException, SQLException, InterruptedException {
        run(CurveStudy.study(sizes, question), options, directory);
        List<Sample> samples = directory.samples();
        isCurveLimited = Rankings.areLimitedByClients(samples);
        return new Curves.MeasuredCurve(
                CurveStudy.of(samples, question.threads(), options.isRemote()), Surroundings.of(directory.manifest()));
    }

    private void run(Study study, RunOptions with, RunDirectory directory)
            throws IOException, SQLException, InterruptedException {
        Laboratory laboratory = new Laboratory(withColumn(study, with), with, listener);
        running = Optional.of(laboratory);
        requireGoingOn();
        Ending ending = null;
        try {
            ending = laboratory.run(directory);
        } finally {
            running = Optional.empty();
            if (ending == null) {
                directory.discardIfNothingWasMeasured();
            }
        }
        if (ending == Ending.INTERRUPTED && !isOver) {
            isInterrupted = true;
        }
        requireGoingOn();
        if (ending == Ending.CRITICAL_LOAD || ending == Ending.WATCH_LOST) {
            throw new AdviceException(
                    "the server was too busy, or its load could not be read, before there was an answer; try again later");
        }
    }

    /** The study with the type of the values' column, or as bytes if that type cannot be measured. */
    private Study withColumn(Study study, RunOptions with) {
        try {
            return OwnColumn.resolve(study, with.datasets(), isOnTheirServer);
        } catch (IllegalArgumentException e) {
            listener.noticeIssued("the column is measured as bytes, in a MEDIUMBLOB: " + e.getMessage());
            return study.with(study.methods().stream()
                    .map(method -> method.levels().find(Column.FACTOR).equals(Optional.of(Column.OWN.id()))
                            ? new Method(
                                    method.id(), method.levels().with(Column.FACTOR.name(), Column.MEDIUMBLOB.id()))
                            : method)
                    .toList());
        }
    }

    /** The same until the time is over: what was measured until then counts. */
    private void race(Study study, RunOptions with, RunDirectory directory)
            throws IOException, SQLException, InterruptedException {
        Timer clock = new Timer("advice-limit", true);
        clock.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        isOver = true;
                        running.ifPresent(Laboratory::interrupt);
                    }
                },
                Math.max(LEAST_RACE_MILLIS, limit.toMillis() - passed().toMillis()));
        try {
            run(study, with, directory);
        } finally {
            clock.cancel();
        }
    }

    private Duration passed() {
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    private static Advice.Origin origin(Manifest manifest, Optional<ServerLink> network) {
        return new Advice.Origin(
                manifest.blobmark().name(),
                Instant.now(),
                manifest.servers().values().stream()
                        .findFirst()
                        .map(server -> server.product() + " " + server.version())
                        .orElse("unknown"),
                network);
    }

    private void requireGoingOn() {
        if (isInterrupted) {
            throw new AdviceException("interrupted before there was an answer");
        }
    }

    /** Ends the advice soon. May be called from any thread. */
    public void interrupt() {
        isInterrupted = true;
        running.ifPresent(Laboratory::interrupt);
    }

    /** What is left of the time, less what a race needs besides measuring. */
    private Duration raceLimit() {
        long left = limit.minus(passed()).toSeconds();
        return Duration.ofSeconds(Math.max(10, (left - 15) * 2 / 3));
    }

    private Dataset dataset() {
        Dataset named = Datasets.parse(question.dataset());
        return new Portion(options.datasets().getOrDefault(named.id(), named), RACE_BYTES);
    }
}
