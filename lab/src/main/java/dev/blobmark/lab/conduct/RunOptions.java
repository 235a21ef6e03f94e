package dev.blobmark.lab.conduct;

import dev.blobmark.lab.admission.Terms;
import dev.blobmark.lab.dataset.Dataset;
import dev.blobmark.lab.fork.Launch;
import dev.blobmark.lab.machine.Precautions;
import dev.blobmark.lab.server.postgres.PostgresServers;
import dev.blobmark.lab.server.redis.RedisServers;
import dev.blobmark.lab.server.source.Servers;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/**
 * How to run a study: what the study itself does not say.
 *
 * @param server where the server comes from
 * @param cache for what outlives runs: encoded values, unpacked servers
 * @param launch of measuring JVMs
 * @param version of Blobmark, for the manifest
 * @param precautions against noise
 * @param terms of the user for the server
 * @param datasets those that are not found by their names alone, by their ids
 * @param redis where the Redis comes from, if a trial needs one
 * @param postgres where the PostgreSQL comes from, if a trial needs one
 */
public record RunOptions(
        Servers.Source server,
        Path cache,
        Launch launch,
        String version,
        Precautions precautions,
        Terms terms,
        Map<String, Dataset> datasets,
        RedisServers.Source redis,
        PostgresServers.Source postgres) {

    public RunOptions {
        datasets = Map.copyOf(datasets);
        Objects.requireNonNull(redis, "redis");
        Objects.requireNonNull(postgres, "postgres");
        Objects.requireNonNull(precautions, "precautions");
        Objects.requireNonNull(terms, "terms");
    }

    /** Without precautions, and on the usual terms. */
    public RunOptions(Servers.Source server, Path cache, Launch launch, String version) {
        this(
                server,
                cache,
                launch,
                version,
                Precautions.NONE,
                Terms.DEFAULT,
                Map.of(),
                RedisServers.EMBEDDED_ONE,
                PostgresServers.EMBEDDED_ONE);
    }

    public RunOptions with(Precautions others) {
        return new RunOptions(server, cache, launch, version, others, terms, datasets, redis, postgres);
    }

    public RunOptions with(Terms others) {
        return new RunOptions(server, cache, launch, version, precautions, others, datasets, redis, postgres);
    }

    /** @param others by their ids */
    public RunOptions with(Map<String, Dataset> others) {
        return new RunOptions(server, cache, launch, version, precautions, terms, others, redis, postgres);
    }

    public RunOptions with(RedisServers.Source other) {
        return new RunOptions(server, cache, launch, version, precautions, terms, datasets, other, postgres);
    }

    public RunOptions with(PostgresServers.Source other) {
        return new RunOptions(server, cache, launch, version, precautions, terms, datasets, redis, other);
    }
}
