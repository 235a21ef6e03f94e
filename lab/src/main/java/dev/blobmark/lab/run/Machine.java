package dev.blobmark.lab.run;

import dev.blobmark.lab.link.Delivery;
import dev.blobmark.lab.machine.CpuList;
import dev.blobmark.lab.machine.Finding;
import dev.blobmark.lab.machine.Pin;
import dev.blobmark.lab.machine.Precautions;
import dev.blobmark.lab.measurement.Amounts;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The machine of a run, and its software.
 *
 * @param jvms the JVMs that measured, by their level of the factor {@code jvm}
 * @param libraries version by name
 * @param quiet precautions against noise, and the noise that was found
 * @param links what each emulated link delivered before the measurement, by the level of the factor {@code link}
 * @param hosts the hosts of a fleet, on which all measuring processes ran; empty if they ran on this machine
 */
public record Machine(
        Host host,
        SortedMap<String, MeasuringJvm> jvms,
        SortedMap<String, String> libraries,
        Quiet quiet,
        SortedMap<String, MeasuredLink> links,
        List<MeasuringHost> hosts) {

    /** Without a fleet. */
    public Machine(
            Host host,
            SortedMap<String, MeasuringJvm> jvms,
            SortedMap<String, String> libraries,
            Quiet quiet,
            SortedMap<String, MeasuredLink> links) {
        this(host, jvms, libraries, quiet, links, List.of());
    }

    public Machine {
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(quiet, "quiet");
        jvms = Amounts.sorted(jvms);
        libraries = Amounts.sorted(libraries);
        links = Amounts.sorted(links);
        hosts = hosts == null ? List.of() : List.copyOf(hosts); // runs of before have none
    }

    Machine with(Quiet quiet) {
        return new Machine(host, jvms, libraries, quiet, links, hosts);
    }

    public Machine with(List<MeasuringHost> hosts) {
        return new Machine(host, jvms, libraries, quiet, links, hosts);
    }

    Machine with(Delivery delivery) {
        SortedMap<String, MeasuredLink> all = new TreeMap<>(links);
        all.put(delivery.link().toString(), MeasuredLink.of(delivery));
        return new Machine(host, jvms, libraries, quiet, all, hosts);
    }

    /**
     * A host of a fleet.
     *
     * @param jvm name and version of its JVM
     * @param linkBitsPerS of its fastest network interface, as the system states it; empty if it does not
     */
    public record MeasuringHost(Host host, String jvm, OptionalLong linkBitsPerS) {

        /** {@code AMD EPYC, 8 cores, 32.0 GB, OpenJDK 17.0.15, 25 Gbit/s}. */
        public String inWords() {
            return host.cpu().map(cpu -> cpu + ", ").orElse("")
                    + host.cores()
                    + (host.cores() == 1 ? " core, " : " cores, ")
                    + (host.memoryBytes().isPresent()
                            ? String.format(
                                    Locale.ROOT, "%.1f GB, ", host.memoryBytes().getAsLong() / (double) (1L << 30))
                            : "")
                    + jvm
                    + (linkBitsPerS.isPresent()
                            ? String.format(Locale.ROOT, ", %.3g Gbit/s", linkBitsPerS.getAsLong() / 1e9)
                            : "");
        }
    }

    /**
     * A JVM that measured.
     *
     * @param flags as given, without the values of system properties
     */
    public record MeasuringJvm(String vendor, String version, List<String> flags) {

        public MeasuringJvm {
            flags = List.copyOf(flags);
        }

        /** Removes secrets from the flags. */
        public static MeasuringJvm of(String vendor, String version, List<String> flags) {
            return new MeasuringJvm(
                    vendor,
                    version,
                    flags.stream()
                            .map(flag -> withoutSecrets(flag, System.getProperty("user.home")))
                            .toList());
        }

        /** A system property may have a password as its value, and any flag may have the path of the user's home. */
        static String withoutSecrets(String flag, String home) {
            return flag.startsWith("-D") ? flag.replaceFirst("=.*", "=…") : flag.replace(home, "~");
        }
    }

    /**
     * Precautions against noise, and noise that was found before the measurement.
     *
     * @param pin the processors that the measuring JVMs and the server were pinned to, as read back
     * @param keptAwake the processors with a spinner, a thread with the policy SCHED_IDLE, as read back; empty if none
     *     were requested
     * @param warnings noise that was found
     */
    public record Quiet(Pin pin, Optional<CpuList> keptAwake, List<Finding> warnings) {

        public static final Quiet NONE = new Quiet(Pin.NONE, Optional.empty(), List.of());

        public Quiet {
            Objects.requireNonNull(pin, "pin");
            Objects.requireNonNull(keptAwake, "kept_awake");
            warnings = List.copyOf(warnings);
        }

        /** The precautions of the run, which a resumed run must take too. */
        public Precautions precautions() {
            return new Precautions(pin, keptAwake.isPresent());
        }
    }

    /**
     * What an emulated link delivered on this machine.
     *
     * @param bytesPerS from the server to the client, over one connection
     * @param roundTripNs median of a small request
     * @param loopbackBytesPerS without the link
     * @param loopbackRoundTripNs without the link
     * @param sustained whether bandwidth and round trip were those of the link
     */
    public record MeasuredLink(
            double bytesPerS, long roundTripNs, double loopbackBytesPerS, long loopbackRoundTripNs, boolean sustained) {

        private static MeasuredLink of(Delivery delivery) {
            return new MeasuredLink(
                    delivery.bytesPerSecond(),
                    delivery.roundTrip().toNanos(),
                    delivery.loopback().bytesPerSecond(),
                    delivery.loopback().roundTrip().toNanos(),
                    delivery.isSustained());
        }
    }
}
