package dev.blobmark.lab.conduct;

import dev.blobmark.lab.client.Tls;
import dev.blobmark.lab.dataset.Dataset;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.environment.Storage;
import dev.blobmark.lab.plan.Block;
import dev.blobmark.lab.plan.CostModel;
import dev.blobmark.lab.plan.Encoding;
import dev.blobmark.lab.plan.Estimate;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.plan.ForkSchedule;
import dev.blobmark.lab.plan.LoadVolume;
import dev.blobmark.lab.plan.StoreDesign;
import dev.blobmark.lab.plan.ValuesSource;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.server.Server;
import dev.blobmark.lab.server.ServerException;
import dev.blobmark.lab.server.ServerIdentity;
import dev.blobmark.lab.store.MySqlTable;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.TrialNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a run of a study is going to do with its options: its trials, the blocks that they are measured in, and what these cost. */
final class StudyPlan {

    /** The name under which a manifest has the MySQL server. */
    static final String MYSQL = "mysql";

    private final Study study;
    private final RunOptions options;
    private final List<Trial> trials;
    private final Map<Trial, String> unavailable;
    private final List<Block> blocks;
    private final TrialNames names;
    private final CostModel costs;

    /** @throws IllegalArgumentException if the study cannot be run with the options, with what to change */
    StudyPlan(Study study, RunOptions options) {
        this.study = study;
        this.options = options;
        trials = study.trials(Factors.VOCABULARY);
        names = TrialNames.of(trials);
        costs = new CostModel(study.schedule(), trials, this::values);
        Suitability suitability = new Suitability(this);
        unavailable = suitability.unavailable();
        List<Trial> available =
                trials.stream().filter(trial -> !unavailable.containsKey(trial)).toList();
        blocks = Block.of(available, study.schedule().seed(), this::values);
        suitability.requireSuitable();
    }

    Study study() {
        return study;
    }

    RunOptions options() {
        return options;
    }

    List<Trial> trials() {
        return trials;
    }

    /** Why, for the trials that cannot be measured here. */
    Map<Trial, String> unavailable() {
        return unavailable;
    }

    List<Block> blocks() {
        return blocks;
    }

    TrialNames names() {
        return names;
    }

    CostModel costs() {
        return costs;
    }

    Values values(ValuesSource source) {
        Dataset dataset = options.datasets().getOrDefault(source.dataset(), source.kind());
        return source.values(dataset, study.schedule().seed());
    }

    /** Where encoded values are kept that anybody may have. */
    Path sharedValues() {
        return options.cache().resolve("values");
    }

    /** Whether a trial works on such a store. */
    boolean needs(StoreKind kind) {
        return trials.stream()
                .anyMatch(trial -> StoreDesign.isUsedBy(trial) && trial.design().get(StoreKinds.FACTOR) == kind);
    }

    boolean needsTls() {
        return trials.stream()
                .anyMatch(trial -> StoreDesign.isUsedBy(trial) && trial.design().get(Tls.FACTOR) != Tls.OFF);
    }

    /** What a run with these samples would still do and take. */
    Estimate estimate(List<Sample> samples) {
        return Estimate.of(
                trials,
                blocks,
                schedule(samples),
                study.schedule(),
                costs,
                sharedValues(),
                options.terms().schema());
    }

    ForkSchedule schedule(List<Sample> samples) {
        return new ForkSchedule(study, blocks, samples);
    }

    /** Under which the manifest has the server of an environment. */
    String serverName(Environment environment) {
        String unusual = Block.needPasses(blocks) ? environment.toString() : "";
        return unusual.isEmpty() ? MYSQL : MYSQL + " " + unusual;
    }

    Storage.Place place(Storage storage) {
        return storage.place(options.cache(), neededBytes(storage));
    }

    /** @throws ServerException if there is none any more */
    Path directoryFor(Storage storage) {
        Storage.Place place = place(storage);
        if (place instanceof Storage.Place.Available available) {
            return available.directory();
        }
        throw new ServerException("storage " + storage + ": " + ((Storage.Place.Missing) place).reason());
    }

    /** Of the largest block: tables of several sources share one as long as they fit, those of one source always do. */
    private long neededBytes(Storage storage) {
        Collection<Long> tables = trials.stream()
                .filter(trial -> StoreDesign.isUsedBy(trial)
                        && trial.design().get(Storage.FACTOR).equals(storage))
                .map(StoreDesign::of)
                .distinct()
                .collect(Collectors.groupingBy(StoreDesign::source, Collectors.summingLong(costs::applicationBytes)))
                .values();
        long all = tables.stream().mapToLong(bytes -> bytes).sum();
        long largest = tables.stream().mapToLong(bytes -> bytes).max().orElse(0);
        return Estimate.EMPTY_SERVER_BYTES + Math.max(largest, Math.min(all, Block.MAX_APPLICATION_BYTES));
    }

    /** What a schedule has left to load, and the connections that its trials take. */
    LoadVolume volume(ForkSchedule schedule, Server server) {
        return costs.loadVolume(left(schedule))
                .withConnections(Estimate.connections(
                        study.schedule(), blocks, schedule, 1 + server.others().size()));
    }

    /** Whether it takes the encoding of values to know that they fit into the server's packets. */
    boolean packetsAreUncertain(ForkSchedule schedule, LoadVolume volume, ServerIdentity server) {
        long longest = longestIn(server);
        return volume.longestValueBytes() <= longest
                && encodings(schedule).anyMatch(encoding -> costs.mayExceed(encoding, longest));
    }

    /** {@link #volume}, with the longest value as it is encoded, where only that shows whether values fit the server's packets. */
    LoadVolume encodedVolume(
            ForkSchedule schedule, Server server, ServerIdentity identity, Path ownValues, LongConsumer progress)
            throws IOException {
        LoadVolume volume = volume(schedule, server);
        long longest = longestIn(identity);
        for (Encoding encoding : encodings(schedule).toList()) {
            if (volume.longestValueBytes() <= longest) {
                OptionalLong stored = costs.longestStored(
                        encoding, longest, encoding.source().directory(sharedValues(), ownValues), progress);
                volume = volume.withValueOf(stored.orElse(0));
            }
        }
        return volume;
    }

    private List<Block> left(ForkSchedule schedule) {
        return blocks.stream()
                .map(block -> block.only(schedule.remaining(block).rounds().keySet()))
                .toList();
    }

    private Stream<Encoding> encodings(ForkSchedule schedule) {
        return left(schedule).stream()
                .flatMap(block -> block.usedStores().stream())
                .map(StoreDesign::encoding)
                .distinct();
    }

    private static long longestIn(ServerIdentity identity) {
        return MySqlTable.longestIn(Long.parseLong(identity.variables().get("max_allowed_packet")));
    }
}
