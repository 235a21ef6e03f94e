package dev.blobmark.lab.conduct;

import dev.blobmark.lab.link.Via;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.plan.StoreDesign;
import dev.blobmark.lab.server.proxy.HaProxy;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.mysql.server.Closing;
import dev.blobmark.mysql.server.Endpoint;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The proxies in front of the servers of one environment. Each is started before the first block with a trial that
 * needs it.
 */
final class StartedProxies implements AutoCloseable {

    private final Path cache;
    private final List<String> prefix;
    private final Map<List<String>, HaProxy> started = new LinkedHashMap<>();

    /** @param prefix first words of the commands */
    StartedProxies(Path cache, List<String> prefix) {
        this.cache = cache;
        this.prefix = prefix;
    }

    static boolean areUsedBy(Trial trial) {
        return StoreDesign.isUsedBy(trial) && trial.design().get(Via.FACTOR) == Via.HAPROXY;
    }

    /** The trial with a proxy in front of its store, if it has one. */
    ForkPlan.PlannedTrial inFrontOf(ForkPlan.PlannedTrial planned) {
        return areUsedBy(planned.trial())
                ? planned.behind(to(planned.place().orElseThrow().endpoints()).endpoint())
                : planned;
    }

    private HaProxy to(List<Endpoint> servers) {
        return started.computeIfAbsent(
                servers.stream().map(Endpoint::toString).toList(), names -> HaProxy.start(cache, servers, prefix));
    }

    /**
     * The processes that serve a trial: those of its server, and of the proxies in front of it. If those of the server
     * are not known, there are none, since the proxies' time alone would be taken for that of the server.
     */
    List<Long> with(List<Long> serverPids, Trial trial) {
        return serverPids.isEmpty() || !areUsedBy(trial)
                ? serverPids
                : Stream.concat(serverPids.stream(), started.values().stream().map(HaProxy::pid))
                        .toList();
    }

    @Override
    public void close() {
        Closing.all(started.values(), HaProxy::close);
    }
}
