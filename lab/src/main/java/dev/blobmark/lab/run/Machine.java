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
 * The machine that measured, and the software on it that took part.
 *
 * @param jvms the JVMs that measured, by their level of the factor {@code jvm}
 * @param libraries version by name
 * @param quiet what was done and seen against noise
 * @param links what each emulated link delivered before anything was measured, by its level of the factor {@code link}
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
     * A kind of JVM that measured.
     *
     * @param flags as given, without the values of system properties
     */
    public record Jvm(String vendor, String version, List<String> flags) {

        public Jvm {
            flags = List.copyOf(flags);
        }

        /** A JVM that measures with these flags; secrets in them are left out. */
        public static Jvm of(String vendor, String version, List<String> flags) {
            return new Jvm(
                    vendor,
                    version,
                    flags.stream()
                            .map(flag -> withoutSecrets(flag, System.getProperty("user.home")))
                            .toList());
        }

        /** A system property may hold a password, any flag the path of the user's home. */
        static String withoutSecrets(String flag, String home) {
            return flag.startsWith("-D") ? flag.replaceFirst("=.*", "=…") : flag.replace(home, "~");
        }
    }

    /**
     * What was done against noise, and what noise was seen beforehand.
     *
     * @param pin the processors that the measuring JVMs and the server were held to, as read back
     * @param keptAwake the processors that each had a spinning thread of policy SCHED_IDLE, as read back; empty if none
     *     was asked for
     * @param warnings what disturbed before anything was measured
     */
    public record Quiet(Pin pin, Optional<CpuList> keptAwake, List<Finding> warnings) {

        public static final Quiet NONE = new Quiet(Pin.NONE, Optional.empty(), List.of());

        public Quiet {
            Objects.requireNonNull(pin, "pin");
            Objects.requireNonNull(keptAwake, "kept_awake");
            warnings = List.copyOf(warnings);
        }

        /** What a run that is resumed has to do likewise. */
        public Precautions precautions() {
            return new Precautions(pin, keptAwake.isPresent());
        }
    }

    /**
     * What an emulated link delivered on this machine.
     *
     * @param bytesPerS from the server's side, over one connection
     * @param roundTripNs median of a small request
     * @param loopbackBytesPerS without the link
     * @param loopbackRoundTripNs without the link
     * @param sustained whether rate and round trip were those that the link should have
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
