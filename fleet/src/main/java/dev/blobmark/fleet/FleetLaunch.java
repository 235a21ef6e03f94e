package dev.blobmark.fleet;

import dev.blobmark.fleet.host.HostFacts;
import dev.blobmark.lab.fork.Launch;
import dev.blobmark.lab.fork.StartedJvm;
import dev.blobmark.lab.run.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * JVMs on the hosts of a fleet, each by the JVM of its host. They are not pinned to processors.
 *
 * @param main the class to start
 * @param flags of the JVM
 * @param isMeasuring whether orders and messages are those of a measuring JVM
 */
record FleetLaunch(Hosts fleet, String main, List<String> flags, boolean isMeasuring) implements Launch {

    FleetLaunch {
        flags = List.copyOf(flags);
    }

    @Override
    public StartedJvm start(Path java, Path directory) throws IOException {
        return fleet.start(main, flags, directory.resolve(ERRORS), isMeasuring);
    }

    @Override
    public Launch prefixedBy(List<String> words) {
        return this;
    }

    @Override
    public List<Machine.MeasuringHost> hosts() throws IOException {
        return fleet.all().stream()
                .map(host -> described(host.facts()))
                .sorted(Comparator.comparing(Machine.MeasuringHost::inWords))
                .toList();
    }

    private static Machine.MeasuringHost described(HostFacts facts) {
        return new Machine.MeasuringHost(
                new dev.blobmark.lab.run.Host(
                        facts.os(),
                        facts.kernel(),
                        facts.arch(),
                        Optional.of(facts.cpu()).filter(name -> !name.isEmpty()),
                        facts.processors(),
                        facts.memoryBytes() == 0 ? OptionalLong.empty() : OptionalLong.of(facts.memoryBytes())),
                facts.jvm(),
                facts.linkBitsPerS() == 0 ? OptionalLong.empty() : OptionalLong.of(facts.linkBitsPerS()));
    }
}
