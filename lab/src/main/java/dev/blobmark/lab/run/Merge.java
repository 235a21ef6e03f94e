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
 * Merges several runs of a study into one run with the blocks and forks of all, so that they are reported as a whole.
 * The runs may be from several machines.
 *
 * <p>Runs of another study, or with another window, server or values, are refused, because they measured something
 * else. Other differences (machine, JVM, versions of libraries, server variables) are kept in {@link Manifest#sources}.
 * Trials may be missing in some of the runs.
 */
public final class Merge {

    /**
     * A measured run, alone in its directory or as a source of an earlier merge.
     *
     * @param firstBlock the number in the directory of the run's block 0
     */
    private record RunPart(RunDirectory directory, Manifest manifest, int firstBlock, List<Sample> samples) {

        static List<RunPart> of(RunDirectory directory) {
            Manifest manifest = directory.manifest();
            List<Sample> samples = directory.samples();
            return manifest.sources().isEmpty()
                    ? List.of(new RunPart(directory, manifest, 0, samples))
                    : manifest.sources().stream()
                            .map(source -> new RunPart(
                                    directory,
                                    source.manifest(),
                                    source.firstBlock(),
                                    manifest.samplesOf(source, samples)))
                            .toList();
        }

        /** The number of blocks. A resumed run, or one that stopped at its precision, may have more than its plan. */
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

    private final List<RunPart> parts;

    private Merge(List<RunPart> parts) {
        this.parts = parts;
    }

    /**
     * Reads runs and checks that they can be merged.
     *
     * @param runs one or more; a single run is copied, and a merged run counts as its sources
     * @throws RunException if a run has not ended, is named twice, or measured something else than the first
     */
    public static Merge of(List<RunDirectory> runs) {
        List<RunPart> parts =
                runs.stream().flatMap(run -> RunPart.of(run).stream()).toList();
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("a merge needs runs");
        }
        Map<Object, RunPart> seen = new HashMap<>();
        for (RunPart part : parts) {
            Manifest manifest = part.manifest();
            String place = part.directory().path().toString();
            if (manifest.progress().state() == Manifest.State.RUNNING) {
                throw new RunException(place, "the run has not ended, or was killed", "wait for its end, or resume it");
            }
            RunPart same = seen.put(
                    List.of(manifest.progress().startedAt(), manifest.machine().host(), manifest.study()), part);
            if (same != null) {
                throw new RunException(
                        place,
                        "this is the same run as in " + same.directory().path() + ", started "
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

    /** A difference for which the second run cannot be merged with the first, as the beginning of a sentence. */
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

    /** The name of the study of all runs. */
    public String study() {
        return parts.get(0).manifest().study().name();
    }

    /** The names of settings that differ between the runs, see {@link Surroundings}. */
    public List<String> differing() {
        return Surroundings.differing(parts.stream().map(RunPart::manifest).toList());
    }

    /**
     * Writes the merged run into an empty run directory.
     *
     * @param program that merges
     */
    public Manifest write(RunDirectory into, Program program) {
        try (RunWriter writer = into.writer()) {
            List<Manifest.MergedRun> sources = new ArrayList<>();
            int blocks = 0;
            for (RunPart part : parts) {
                sources.add(new Manifest.MergedRun(blocks, part.manifest()));
                blocks += part.blocks();
            }
            Manifest merged = manifest(program, sources);
            writer.write(merged);
            int forks = 0;
            for (int i = 0; i < parts.size(); i++) {
                RunPart part = parts.get(i);
                int blockOffset = sources.get(i).firstBlock() - part.firstBlock();
                int forkOffset = forks - part.firstFork();
                for (Sample sample : part.samples()) {
                    writer.append(
                            sample.renumbered(sample.block() + blockOffset, sample.fork() + forkOffset),
                            latencies(part, sample));
                }
                forks += part.forks();
            }
            Instant end = parts.stream()
                    .map(part -> part.manifest().progress().finishedAt().orElseThrow())
                    .max(Instant::compareTo)
                    .orElseThrow();
            Manifest ended = merged.ended(worstState(), end);
            writer.write(ended);
            return ended;
        }
    }

    private static Map<String, Histogram> latencies(RunPart part, Sample sample) {
        Map<String, Histogram> latencies = new TreeMap<>();
        for (String histogram : sample.histograms()) {
            latencies.put(
                    histogram,
                    part.directory()
                            .histogram(sample, histogram)
                            .orElseThrow(() -> new RunException(
                                    part.directory().latencyFile(sample.fork()).toString(),
                                    "the latencies of " + sample.trial().id() + ", round " + sample.round()
                                            + ", are missing",
                                    "restore the file from a copy")));
        }
        return latencies;
    }

    private Manifest.State worstState() {
        List<Manifest.State> states =
                parts.stream().map(part -> part.manifest().progress().state()).toList();
        return states.contains(Manifest.State.FAILED)
                ? Manifest.State.FAILED
                : states.contains(Manifest.State.INTERRUPTED) ? Manifest.State.INTERRUPTED : Manifest.State.FINISHED;
    }

    /** The manifest of the merged run. Where the runs differ, it has the value of the first. */
    private Manifest manifest(Program program, List<Manifest.MergedRun> sources) {
        List<Manifest> all = parts.stream().map(RunPart::manifest).toList();
        Manifest first = all.get(0);
        SortedMap<String, Machine.MeasuringJvm> jvms = new TreeMap<>();
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
                new Manifest.PlannedSamples(
                        distinct(all, m -> m.plan().trials(), id -> id),
                        all.stream().mapToInt(m -> m.plan().blocks()).sum(),
                        all.stream().mapToLong(m -> m.plan().samples()).sum(),
                        serversOfBlocks()),
                new Machine(
                        first.machine().host(),
                        jvms,
                        libraries,
                        first.machine().quiet(),
                        links,
                        distinct(all, m -> m.machine().hosts(), host -> host)),
                servers,
                distinct(all, Manifest::datasets, d -> List.of(d.id(), d.size())),
                distinct(all, Manifest::stores, s -> List.of(s.server(), s.factors())),
                sources);
    }

    /** The server of each block; empty if it is not known for all of the runs. */
    private List<String> serversOfBlocks() {
        boolean isKnown =
                parts.stream().allMatch(part -> part.manifest().plan().servers().size() == part.blocks());
        return isKnown
                ? parts.stream()
                        .flatMap(part -> part.manifest().plan().servers().stream())
                        .toList()
                : List.of();
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

    /** The elements of all runs without duplicates; of equal ones, the first run's is used. */
    private static <T> List<T> distinct(
            List<Manifest> all, Function<Manifest, List<T>> of, Function<T, Object> identity) {
        Map<Object, T> byIdentity = new LinkedHashMap<>();
        all.forEach(m -> of.apply(m).forEach(element -> byIdentity.putIfAbsent(identity.apply(element), element)));
        return List.copyOf(byIdentity.values());
    }
}
