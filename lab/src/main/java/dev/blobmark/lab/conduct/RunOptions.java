package dev.blobmark.lab.conduct;

import dev.blobmark.lab.admission.RunLimits;
import dev.blobmark.lab.admission.StoreServers;
import dev.blobmark.lab.dataset.Dataset;
import dev.blobmark.lab.fork.Launch;
import dev.blobmark.lab.machine.Precautions;
import dev.blobmark.lab.run.Program;
import dev.blobmark.lab.server.own.ServerSource;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.store.StoreKind;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * How to run a study: everything that is not part of the study.
 *
 * @param server where the server comes from
 * @param cache directory for what is reused by later runs: encoded values, unpacked servers
 * @param launch of measuring JVMs
 * @param program that conducts the run, for the manifest
 * @param precautions against noise
 * @param terms limits of the user for the server
 * @param datasets datasets that cannot be found by name only, by id
 * @param storeServers where the servers of stores other than MySQL come from
 */
public record RunOptions(
        Servers.Source server,
        Path cache,
        Launch launch,
        Program program,
        Precautions precautions,
        RunLimits terms,
        Map<String, Dataset> datasets,
        Map<StoreKind, ServerSource<StoreServers.Opened>> storeServers) {

    public RunOptions {
        datasets = Map.copyOf(datasets);
        storeServers = Map.copyOf(storeServers);
        Objects.requireNonNull(precautions, "precautions");
        Objects.requireNonNull(terms, "terms");
    }

    /** Without precautions, with the default limits, and not from a command line. */
    public RunOptions(Servers.Source server, Path cache, Launch launch, String version) {
        this(
                server,
                cache,
                launch,
                Program.of(version),
                Precautions.NONE,
                RunLimits.DEFAULT,
                Map.of(),
                StoreServerKinds.ALL.stream().collect(Collectors.toMap(StoreServers::kind, StoreServers::embedded)));
    }

    /** Whether a server is on another host. */
    public boolean isRemote() {
        return server.isRemote() || storeServers.values().stream().anyMatch(ServerSource::isRemote);
    }

    public RunOptions with(Program other) {
        return new RunOptions(server, cache, launch, other, precautions, terms, datasets, storeServers);
    }

    public RunOptions with(Precautions others) {
        return new RunOptions(server, cache, launch, program, others, terms, datasets, storeServers);
    }

    public RunOptions with(RunLimits others) {
        return new RunOptions(server, cache, launch, program, precautions, others, datasets, storeServers);
    }

    /** @param others datasets by id */
    public RunOptions with(Map<String, Dataset> others) {
        return new RunOptions(server, cache, launch, program, precautions, terms, others, storeServers);
    }

    /** The same with a server for the stores of a kind. */
    public RunOptions with(StoreKind kind, ServerSource<StoreServers.Opened> source) {
        Map<StoreKind, ServerSource<StoreServers.Opened>> others = new HashMap<>(storeServers);
        others.put(kind, source);
        return new RunOptions(server, cache, launch, program, precautions, terms, datasets, others);
    }
}
