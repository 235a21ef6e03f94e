package dev.blobmark.lab.conduct;

import dev.blobmark.lab.client.Tls;
import dev.blobmark.lab.dataset.Dataset;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.environment.Storage;
import dev.blobmark.lab.link.Link;
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
import dev.blobmark.lab.store.MySqlTable;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.TrialNames;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.ServerIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a run of a study with its options will do: its trials, the blocks in which they are measured, and their costs.
 */
final class StudyPlan {

    /** The name of the MySQL server in a manifest. */
    static final String MYSQL = "mysql";

    private final Study study;
    private final RunOptions options;
    private final List<Trial> trials;
    private final Map<Trial, String> unavailable;
    private final List<Block> blocks;
    private final TrialNames names;
    private final CostModel costs;

    /** @throws IllegalArgumentException if the study cannot be run with the options; the message says what to change */
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

    /** The trials that cannot be measured here, with the reason. */
    Map<Trial, String> unavailable() {
        return unavailable;
    }

    List<Block> blocks() {
        return blocks;
    }

    /** The name of a trial in progress and errors. */
    String nameOf(Trial trial) {
        return names.of(trial.method(), Link.inWords(trial.condition(), options.isRemote()));
    }

    CostModel costs() {
        return costs;
    }

    Values values(ValuesSource source) {
        Dataset dataset = options.datasets().getOrDefault(source.dataset(), source.kind());
        return source.values(dataset, study.schedule().seed());
    }

    /** The directory of encoded values that are not the user's own. */
    Path sharedValues() {
        return options.cache().resolve("values");
    }

    /** Whether a trial uses a store of this kind. */
    boolean needs(StoreKind kind) {
        return trials.stream()
                .anyMatch(trial -> StoreDesign.isUsedBy(trial) && trial.design().get(StoreKinds.FACTOR) == kind);
    }

    boolean needsTls() {
        return trials.stream()
                .anyMatch(trial -> StoreDesign.isUsedBy(trial) && trial.design().get(Tls.FACTOR) != Tls.OFF);
    }

    /** What a run that has these samples would still do, and how long it would take. */
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

    /** The name of an environment's server in the manifest. */
    String serverName(Environment environment) {
        String environmentName = Block.needPasses(blocks) ? environment.toString() : "";
        return environmentName.isEmpty() ? MYSQL : MYSQL + " " + environmentName;
    }

    Storage.StoragePlace place(Storage storage) {
        return storage.place(options.cache(), neededBytes(storage));
    }

    /** @throws ServerException if the directory does not exist any more */
    Path directoryFor(Storage storage) {
        Storage.StoragePlace place = place(storage);
        if (place instanceof Storage.StoragePlace.Available available) {
            return available.directory();
        }
        throw new ServerException("storage " + storage + ": " + ((Storage.StoragePlace.Missing) place).reason());
    }

    /**
     * Bytes of the largest block: tables of several sources share a block as long as they fit, those of one source
     * always do.
     */
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

    /** What a schedule must still load, and the connections that its trials need. */
    LoadVolume volume(ForkSchedule schedule, Server server) {
        return costs.loadVolume(remaining(schedule))
                .withConnections(Estimate.connections(
                        study.schedule(), blocks, schedule, 1 + server.others().size()));
    }

    /** Whether values must be encoded to know that they fit into the server's packets. */
    boolean packetsAreUncertain(ForkSchedule schedule, LoadVolume volume, ServerIdentity server) {
        long longest = longestIn(server);
        return volume.longestValueBytes() <= longest
                && encodings(schedule).anyMatch(encoding -> costs.mayExceed(encoding, longest));
    }

    /**
     * Like {@link #volume}, but with the longest encoded value if only that shows whether values fit into the server's
     * packets.
     */
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

    private List<Block> remaining(ForkSchedule schedule) {
        return blocks.stream()
                .map(block -> block.only(schedule.remaining(block).rounds().keySet()))
                .toList();
    }

    private Stream<Encoding> encodings(ForkSchedule schedule) {
        return remaining(schedule).stream()
                .flatMap(block -> block.usedStores().stream())
                .map(StoreDesign::encoding)
                .distinct();
    }

    private static long longestIn(ServerIdentity identity) {
        return MySqlTable.longestIn(Long.parseLong(identity.variables().get("max_allowed_packet")));
    }
}
