package dev.blobmark.lab.run;

import static java.util.stream.Collectors.joining;

import dev.blobmark.lab.run.Manifest.MeasuredDataset;
import dev.blobmark.lab.run.Manifest.MeasuredServer;
import dev.blobmark.lab.study.Method;
import dev.blobmark.lab.study.Schedule;
import dev.blobmark.lab.study.Study;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * Runs that become one: its blocks and forks are those of all of them, so that what was measured in several goes, or on several machines, is
 * reported as a whole.
 *
 * <p>What would make the figures ones of something else is refused: another study, window, server or values. All else that differs (machine, JVM,
 * versions of libraries, server variables) is kept in {@link Manifest#sources}. Trials may be missing in some of the runs.
 */
public final class Merge {

    /**
     * A run as it was measured, alone or as a part of an earlier merge.
     *
     * @param firstBlock what its block 0 is called in its directory
     */
    private record Part(RunDirectory directory, Manifest manifest, int firstBlock, List<Sample> samples) {

        static List<Part> of(RunDirectory directory) {
            Manifest manifest = directory.manifest();
            List<Sample> samples = directory.samples();
            return manifest.sources().isEmpty()
                    ? List.of(new Part(directory, manifest, 0, samples))
                    : manifest.sources().stream()
                            .map(source -> new Part(
                                    directory,
                                    source.manifest(),
                                    source.firstBlock(),
                                    manifest.samplesOf(source, samples)))
                            .toList();
        }

        /** A run that was resumed, or stopped by its precision, may have other numbers than its plan. */
        int blocks() {
            int last = samples.stream().mapToInt(Sample::block).max().orElse(firstBlock);
            return Math.max(manifest.plan().blocks(), last - firstBlock + 1);
        }

        int firstFork() {
            return samples.stream().mapToInt(Sample::fork).min().orElse(0);
        }

        int forks() {
            return samples.stream().mapToInt(Sample::fork).max().orElse(-1) - firstFork() + 1;
        }
    }

    private final List<Part> parts;

    private Merge(List<Part> parts) {
        this.parts = parts;
    }

    /**
     * Reads runs and checks that they go together.
     *
     * @param runs one, which is copied, or more; one that was merged counts as those that it was made of
     * @throws RunException if one has not ended, is there twice, or measured something else than the first
     */
    public static Merge of(List<RunDirectory> runs) {
        List<Part> parts = runs.stream().flatMap(run -> Part.of(run).stream()).toList();
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("a merge needs runs");
        }
        Map<Object, Part> seen = new HashMap<>();
        for (Part part : parts) {
            Manifest manifest = part.manifest();
            String place = part.directory().path().toString();
            if (manifest.progress().state() == Manifest.State.RUNNING) {
                throw new RunException(
                        place, "the run is still going, or was killed", "wait for its end, or resume it");
            }
            Part twin = seen.put(
                    List.of(manifest.progress().startedAt(), manifest.machine().host(), manifest.study()), part);
            if (twin != null) {
                throw new RunException(
                        place,
                        "this is the same run as in " + twin.directory().path() + ", started "
                                + manifest.progress().startedAt(),
                        "name each run once");
            }
            mismatch(parts.get(0).manifest(), manifest).ifPresent(reason -> {
                throw new RunException(
                        place,
                        reason + " in " + parts.get(0).directory().path(),
                        "merge runs of one study on one kind of server, and compare others with 'compare'");
            });
        }
        return new Merge(parts);
    }

    /** What the second run measured that is not what the first did. */
    private static Optional<String> mismatch(Manifest one, Manifest other) {
        Study study = one.study();
        Study added = other.study();
        Map<String, List<Object>> both = new LinkedHashMap<>();
        both.put("study", List.of(study.name(), added.name()));
        both.put("metric", List.of(study.metric().word(), added.metric().word()));
        both.put("baseline", List.of(study.baseline(), added.baseline()));
        both.put("window", List.of(study.schedule().window(), added.schedule().window()));
        for (Method method : added.methods()) {
            study.methods().stream()
                    .filter(same -> same.id().equals(method.id()))
                    .forEach(same -> both.put("method " + method.id(), List.of(same.levels(), method.levels())));
        }
        other.servers().forEach((name, server) -> {
            if (one.servers().containsKey(name)) {
                both.put(
                        "server " + name,
                        List.of(Surroundings.identity(one.servers().get(name)), Surroundings.identity(server)));
            }
        });
        for (MeasuredDataset dataset : other.datasets()) {
            one.datasets().stream()
                    .filter(same ->
                            same.id().equals(dataset.id()) && same.size().equals(dataset.size()))
                    .forEach(same -> both.put("dataset " + dataset.id(), List.of(same.digest(), dataset.digest())));
        }
        return both.entrySet().stream()
                .filter(pair -> !pair.getValue().get(0).equals(pair.getValue().get(1)))
                .map(pair -> "its " + pair.getKey() + " is " + pair.getValue().get(1) + ", not "
                        + pair.getValue().get(0) + " as")
                .findFirst();
    }

    /** The name of the study that all of them are of. */
    public String study() {
        return parts.get(0).manifest().study().name();
    }

    /** What is not the same in all of the runs, in words of {@link Surroundings}. */
    public List<String> differing() {
        return Surroundings.differing(parts.stream().map(Part::manifest).toList());
    }

    /**
     * Writes all of it into an empty run directory.
     *
     * @param program that merges
     */
    public Manifest write(RunDirectory into, Program program) {
        try (RunWriter writer = into.writer()) {
            List<Manifest.Source> sources = new ArrayList<>();
            int blocks = 0;
            for (Part part : parts) {
                sources.add(new Manifest.Source(blocks, part.manifest()));
                blocks += part.blocks();
            }
            Manifest merged = manifest(program, sources);
            writer.write(merged);
            int forks = 0;
            for (int i = 0; i < parts.size(); i++) {
                Part part = parts.get(i);
                int toBlock = sources.get(i).firstBlock() - part.firstBlock();
                int toFork = forks - part.firstFork();
                for (Sample sample : part.samples()) {
                    writer.append(
                            sample.renumbered(sample.block() + toBlock, sample.fork() + toFork),
                            latencies(part, sample));
                }
                forks += part.forks();
            }
            Instant end = parts.stream()
                    .map(part -> part.manifest().progress().finishedAt().orElseThrow())
                    .max(Instant::compareTo)
                    .orElseThrow();
            Manifest ended = merged.ended(worst(), end);
            writer.write(ended);
            return ended;
        }
    }

    private static Map<String, Histogram> latencies(Part part, Sample sample) {
        Map<String, Histogram> latencies = new TreeMap<>();
        for (String histogram : sample.histograms()) {
            latencies.put(
                    histogram,
                    part.directory()
                            .histogram(sample, histogram)
                            .orElseThrow(() -> new RunException(
                                    part.directory().latencyFile(sample.fork()).toString(),
                                    "the latencies of " + sample.trial().id() + ", round " + sample.round()
                                            + ", are not there",
                                    "restore the file from a copy")));
        }
        return latencies;
    }

    private Manifest.State worst() {
        List<Manifest.State> states =
                parts.stream().map(part -> part.manifest().progress().state()).toList();
        return states.contains(Manifest.State.FAILED)
                ? Manifest.State.FAILED
                : states.contains(Manifest.State.INTERRUPTED) ? Manifest.State.INTERRUPTED : Manifest.State.FINISHED;
    }

    /** Where the runs differ, the first run's value stands outside of {@code sources}. */
    private Manifest manifest(Program program, List<Manifest.Source> sources) {
        List<Manifest> all = parts.stream().map(Part::manifest).toList();
        Manifest first = all.get(0);
        SortedMap<String, Machine.Jvm> jvms = new TreeMap<>();
        SortedMap<String, String> libraries = new TreeMap<>();
        SortedMap<String, Machine.MeasuredLink> links = new TreeMap<>();
        SortedMap<String, MeasuredServer> servers = new TreeMap<>();
        for (Manifest manifest : all) {
            Machine machine = manifest.machine();
            machine.jvms().forEach(jvms::putIfAbsent);
            machine.libraries().forEach(libraries::putIfAbsent);
            machine.links().forEach(links::putIfAbsent);
            manifest.servers().forEach(servers::putIfAbsent);
        }
        return new Manifest(
                Manifest.SCHEMA,
                program,
                Progress.startedAt(all.stream()
                        .map(m -> m.progress().startedAt())
                        .min(Instant::compareTo)
                        .orElseThrow()),
                study(all),
                new Manifest.Plan(
                        distinct(all, m -> m.plan().trials(), id -> id),
                        all.stream().mapToInt(m -> m.plan().blocks()).sum(),
                        all.stream().mapToLong(m -> m.plan().samples()).sum(),
                        serversOfBlocks()),
                new Machine(
                        first.machine().host(), jvms, libraries, first.machine().quiet(), links),
                servers,
                distinct(all, Manifest::datasets, d -> List.of(d.id(), d.size())),
                distinct(all, Manifest::stores, s -> List.of(s.server(), s.factors())),
                sources);
    }

    /** Of each block, where all of the runs tell. */
    private List<String> serversOfBlocks() {
        List<List<String>> each =
                parts.stream().map(part -> part.manifest().plan().servers()).toList();
        boolean isKnown =
                parts.stream().allMatch(part -> part.manifest().plan().servers().size() == part.blocks());
        return isKnown ? each.stream().flatMap(List::stream).toList() : List.of();
    }

    private static Study study(List<Manifest> all) {
        Study first = all.get(0).study();
        List<Schedule> schedules = all.stream().map(m -> m.study().schedule()).toList();
        return new Study(
                first.name(),
                first.question(),
                first.source(),
                all.stream()
                        .map(m -> m.study().profile())
                        .filter(profile -> !profile.isEmpty())
                        .distinct()
                        .collect(joining("+")),
                first.metric(),
                first.baseline(),
                distinct(all, m -> m.study().methods(), Method::id),
                distinct(all, m -> m.study().conditions(), condition -> condition),
                new Schedule(
                        schedules.stream().mapToInt(Schedule::rounds).sum(),
                        schedules.stream().mapToInt(Schedule::forks).sum(),
                        schedules.get(0).window(),
                        schedules.stream()
                                .map(Schedule::warmUp)
                                .max(Duration::compareTo)
                                .orElseThrow(),
                        schedules.get(0).seed(),
                        schedules.get(0).visit(),
                        Optional.empty(),
                        Optional.empty()),
                first.claims());
    }

    /** What all of the runs list, each once, as the first has it. */
    private static <T> List<T> distinct(
            List<Manifest> all, Function<Manifest, List<T>> of, Function<T, Object> identity) {
        Map<Object, T> each = new LinkedHashMap<>();
        all.forEach(m -> of.apply(m).forEach(one -> each.putIfAbsent(identity.apply(one), one)));
        return List.copyOf(each.values());
    }
}
