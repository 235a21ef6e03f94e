package dev.blobmark.lab.link;

import dev.blobmark.lab.study.Factor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A network between client and server: what its slowest place lets through each way, shared by all connections, and the time there and
 * back. A level of the factor {@code link}.
 *
 * @param down bytes per second from the server; empty for as many as the machine can
 * @param up bytes per second to the server; likewise
 * @param roundTrip added to what the machine takes itself, at most {@link #MOST_ROUND_TRIP}
 * @param jitter the round trip is drawn anew for each flight, evenly from so much below to so much above; never above the round trip
 */
public record Link(OptionalDouble down, OptionalDouble up, Duration roundTrip, Duration jitter) {

    /** More than a satellite's. */
    public static final Duration MOST_ROUND_TRIP = Duration.ofSeconds(2);

    /** The machine's own: nothing is emulated. */
    public static final Link LOOPBACK =
            new Link(OptionalDouble.empty(), OptionalDouble.empty(), Duration.ZERO, Duration.ZERO);

    /** Below it a value of 16 MB takes half an hour. */
    private static final double LEAST_BYTES_PER_SECOND = 8_000;

    private static final double MOST_BYTES_PER_SECOND = 100e9 / 8;

    private static final double BITS = 8;

    /** Those with a name; docs/links.md has the source of each. */
    private static final List<Preset> PRESETS = List.of(
            new Preset(
                    "loopback",
                    LOOPBACK,
                    "the machine's own network, or the real one to a running server: nothing is emulated"),
            new Preset("aws", both(5e9, 300, 0), "two machines in one availability zone of a cloud region"),
            new Preset("cross-az", both(5e9, 1_000, 0), "two availability zones of a region"),
            new Preset("1gbit", both(1e9, 300, 0), "a switch of 1 Gbit/s"),
            new Preset("wifi", both(200e6, 3_000, 1_000), "a wireless network"),
            new Preset("wan", both(50e6, 40_000, 0), "a line to another country"),
            new Preset(
                    "slow-server",
                    new Link(OptionalDouble.of(30e6), OptionalDouble.empty(), Duration.ZERO, Duration.ZERO),
                    "a server that sends 30 MB/s at most"));

    private static final Pattern FORM = Pattern.compile("(?:(RATE)(?:/(RATE))?)?(?: ?(TIME)(?:(?:±|\\+-)(TIME))?)?"
            .replace("RATE", "[0-9]+(?:\\.[0-9]+)?[kmg]bit|any")
            .replace("TIME", "[0-9]+(?:\\.[0-9]+)?(?:us|ms|s)"));

    private static final String MEND =
            "write bandwidth and round trip as in '200mbit 3ms', '50mbit/10mbit 40ms' (from and to the server) or"
                    + " '200mbit 3ms+-1ms', or one of "
                    + PRESETS.stream().map(Preset::name).collect(Collectors.joining(", "));

    public static final Factor<Link> FACTOR = new Factor<>(
            "link",
            Factor.Home.CONDITION,
            Set.of(),
            Set.of(Factor.Use.STORE),
            "the network between client and server, emulated but for loopback",
            levels(),
            Optional.of("loopback"),
            Link::parse,
            Link::toString);

    public Link {
        down.ifPresent(Link::checkRate);
        up.ifPresent(Link::checkRate);
        if (roundTrip.isNegative() || roundTrip.compareTo(MOST_ROUND_TRIP) > 0) {
            throw new IllegalArgumentException("a round trip of " + time(roundTrip) + " is not between 0 and "
                    + time(MOST_ROUND_TRIP) + "; " + MEND);
        }
        if (jitter.isNegative() || jitter.compareTo(roundTrip) > 0) {
            throw new IllegalArgumentException(
                    "a jitter of " + time(jitter) + " is more than the round trip of " + time(roundTrip) + "; " + MEND);
        }
    }

    private static void checkRate(double bytesPerSecond) {
        if (!(bytesPerSecond >= LEAST_BYTES_PER_SECOND && bytesPerSecond <= MOST_BYTES_PER_SECOND)) {
            throw new IllegalArgumentException("a bandwidth of " + rate(bytesPerSecond) + " is not between "
                    + rate(LEAST_BYTES_PER_SECOND) + " and " + rate(MOST_BYTES_PER_SECOND) + "; " + MEND);
        }
    }

    /**
     * A link that has a name.
     *
     * @param description what is like it
     */
    public record Preset(String name, Link link, String description) {}

    public static List<Preset> presets() {
        return PRESETS;
    }

    private static Link both(double bitsPerSecond, long roundTripMicros, long jitterMicros) {
        OptionalDouble rate = OptionalDouble.of(bitsPerSecond / BITS);
        return new Link(rate, rate, micros(roundTripMicros), micros(jitterMicros));
    }

    private static Duration micros(double micros) {
        return Duration.ofNanos(Math.round(micros * 1e3));
    }

    private static List<String> levels() {
        List<String> levels = new ArrayList<>();
        PRESETS.forEach(preset -> levels.add(preset.name));
        levels.add("200mbit 3ms");
        return levels;
    }

    /**
     * Reads a preset's name, or bandwidth and round trip.
     *
     * @throws IllegalArgumentException with the reason and the mend
     */
    public static Link parse(String text) {
        Optional<Preset> preset =
                PRESETS.stream().filter(known -> known.name.equals(text)).findFirst();
        if (preset.isPresent()) {
            return preset.get().link;
        }
        Matcher form = FORM.matcher(text);
        if (text.isEmpty() || !form.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a link; " + MEND);
        }
        OptionalDouble down = rate(form.group(1));
        return new Link(
                down, form.group(2) == null ? down : rate(form.group(2)), time(form.group(3)), time(form.group(4)));
    }

    private static OptionalDouble rate(String text) {
        if (text == null || text.equals("any")) {
            return OptionalDouble.empty();
        }
        int unit = text.length() - "kbit".length();
        double scale = Map.of('k', 1e3, 'm', 1e6, 'g', 1e9).get(text.charAt(unit));
        return OptionalDouble.of(Double.parseDouble(text.substring(0, unit)) * scale / BITS);
    }

    private static Duration time(String text) {
        if (text == null) {
            return Duration.ZERO;
        }
        int unit = text.endsWith("us") || text.endsWith("ms") ? text.length() - 2 : text.length() - 1;
        double scale = Map.of("us", 1.0, "ms", 1e3, "s", 1e6).get(text.substring(unit));
        return micros(Double.parseDouble(text.substring(0, unit)) * scale);
    }

    /** The same round trip and jitter with another bandwidth, each way. */
    public Link withBandwidth(double bytesPerSecond) {
        OptionalDouble rate = OptionalDouble.of(bytesPerSecond);
        return new Link(rate, rate, roundTrip, jitter);
    }

    /** Bytes per second as a level spells them: {@code 200mbit}. */
    public static String bandwidth(double bytesPerSecond) {
        return rate(bytesPerSecond);
    }

    /** Whether there is anything to emulate. */
    public boolean isEmulated() {
        return !equals(LOOPBACK);
    }

    /** As {@link #parse} reads it, the name of a preset where it is one. */
    @Override
    public String toString() {
        return PRESETS.stream()
                .filter(preset -> preset.link.equals(this))
                .map(Preset::name)
                .findFirst()
                .orElseGet(this::inFigures);
    }

    /** Bandwidth and round trip, also of a preset: {@code 200mbit 3ms+-1ms}; {@code 1gbit 0ms} where a preset has the shorter name. */
    public String inFigures() {
        String rates = down.equals(up) ? rate(down) : rate(down) + "/" + rate(up);
        String times = jitter.isZero() ? time(roundTrip) : time(roundTrip) + "+-" + time(jitter);
        if (!roundTrip.isZero()) {
            return rates + " " + times;
        }
        return PRESETS.stream().anyMatch(preset -> preset.name.equals(rates)) ? rates + " 0ms" : rates;
    }

    private static String rate(OptionalDouble bytesPerSecond) {
        return bytesPerSecond.isPresent() ? rate(bytesPerSecond.getAsDouble()) : "any";
    }

    private static String rate(double bytesPerSecond) {
        double bits = bytesPerSecond * BITS;
        return bits >= 1e9
                ? number(bits / 1e9) + "gbit"
                : bits >= 1e6 ? number(bits / 1e6) + "mbit" : number(bits / 1e3) + "kbit";
    }

    private static String time(Duration time) {
        double micros = time.toNanos() / 1e3;
        return micros >= 1e6
                ? number(micros / 1e6) + "s"
                : micros >= 1e3 ? number(micros / 1e3) + "ms" : number(micros) + "us";
    }

    /** Three digits after the point at most, and none that are nothing. */
    private static String number(double number) {
        return String.format(Locale.ROOT, "%.3f", number).replaceAll("\\.?0+$", "");
    }
}
