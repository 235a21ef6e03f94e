package dev.blobmark.lab.run;

import dev.blobmark.lab.link.Delivery;
import dev.blobmark.lab.machine.CpuList;
import dev.blobmark.lab.machine.Finding;
import dev.blobmark.lab.machine.Pin;
import dev.blobmark.lab.machine.Precautions;
import dev.blobmark.lab.measurement.Amounts;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The machine of a run, and its software.
 *
 * @param jvms the JVMs that measured, by their level of the factor {@code jvm}
 * @param libraries version by name
 * @param quiet precautions against noise, and the noise that was found
 * @param links what each emulated link delivered before the measurement, by the level of the factor {@code link}
 */
public record Machine(
        Host host,
        SortedMap<String, Jvm> jvms,
        SortedMap<String, String> libraries,
        Quiet quiet,
        SortedMap<String, MeasuredLink> links) {

    public Machine {
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(quiet, "quiet");
        jvms = Amounts.sorted(jvms);
        libraries = Amounts.sorted(libraries);
        links = Amounts.sorted(links);
    }

    Machine with(Quiet quiet) {
        return new Machine(host, jvms, libraries, quiet, links);
    }

    Machine with(Delivery delivery) {
        SortedMap<String, MeasuredLink> all = new TreeMap<>(links);
        all.put(delivery.link().toString(), MeasuredLink.of(delivery));
        return new Machine(host, jvms, libraries, quiet, all);
    }

    /**
     * A JVM that measured.
     *
     * @param flags as given, without the values of system properties
     */
    public record Jvm(String vendor, String version, List<String> flags) {

        public Jvm {
            flags = List.copyOf(flags);
        }

        /** Removes secrets from the flags. */
        public static Jvm of(String vendor, String version, List<String> flags) {
            return new Jvm(
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
