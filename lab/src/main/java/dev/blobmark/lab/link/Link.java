package dev.blobmark.lab.link;

import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Levels;
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
 * A network between client and server: the bandwidth in each direction, shared by all connections, and the round trip.
 * A level of the factor {@code link}.
 *
 * @param down bytes per second from the server; empty for no limit
 * @param up bytes per second to the server; empty for no limit
 * @param roundTrip added to the machine's own, at most {@link #MAX_ROUND_TRIP}
 * @param jitter half the width of a uniform distribution around {@code roundTrip}, from which each round trip is drawn;
 *     at most {@code roundTrip}
 */
public record Link(OptionalDouble down, OptionalDouble up, Duration roundTrip, Duration jitter) {

    /** More than a satellite's. */
    public static final Duration MAX_ROUND_TRIP = Duration.ofSeconds(2);

    /** The machine's own network: nothing is emulated. */
    public static final Link LOOPBACK =
            new Link(OptionalDouble.empty(), OptionalDouble.empty(), Duration.ZERO, Duration.ZERO);

    /** What people read, and may write, for {@code loopback} if the server is on another host. */
    private static final String DIRECT = "direct";

    /** At this rate a value of 16 MB takes half an hour. */
    private static final double MIN_BYTES_PER_SECOND = 8_000;

    private static final double MAX_BYTES_PER_SECOND = 100e9 / 8;

    private static final double BITS = 8;

    /** Links that have a name; docs/links.md has the source of each. */
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

    private static final String EXPECTED =
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
                    Link::toString)
            .withForm(Factor.alternatives(PRESETS.stream().map(Preset::name).toList()) + "|" + DIRECT + "|"
                    + FORM.pattern());

    public Link {
        down.ifPresent(Link::checkRate);
        up.ifPresent(Link::checkRate);
        if (roundTrip.isNegative() || roundTrip.compareTo(MAX_ROUND_TRIP) > 0) {
            throw new IllegalArgumentException("a round trip of " + time(roundTrip) + " is not between 0 and "
                    + time(MAX_ROUND_TRIP) + "; " + EXPECTED);
        }
        if (jitter.isNegative() || jitter.compareTo(roundTrip) > 0) {
            throw new IllegalArgumentException("a jitter of " + time(jitter) + " is more than the round trip of "
                    + time(roundTrip) + "; " + EXPECTED);
        }
    }

    private static void checkRate(double bytesPerSecond) {
        if (!(bytesPerSecond >= MIN_BYTES_PER_SECOND && bytesPerSecond <= MAX_BYTES_PER_SECOND)) {
            throw new IllegalArgumentException("a bandwidth of " + rate(bytesPerSecond) + " is not between "
                    + rate(MIN_BYTES_PER_SECOND) + " and " + rate(MAX_BYTES_PER_SECOND) + "; " + EXPECTED);
        }
    }

    /**
     * A link with a name.
     *
     * @param description a network that is like it
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
     * @throws IllegalArgumentException if the text is neither, or a value is out of range
     */
    public static Link parse(String text) {
        if (text.equals(DIRECT)) {
            return LOOPBACK;
        }
        Optional<Preset> preset =
                PRESETS.stream().filter(known -> known.name.equals(text)).findFirst();
        if (preset.isPresent()) {
            return preset.get().link;
        }
        Matcher form = FORM.matcher(text);
        if (text.isEmpty() || !form.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a link; " + EXPECTED);
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

    /** The same round trip and jitter with another bandwidth in both directions. */
    public Link withBandwidth(double bytesPerSecond) {
        OptionalDouble rate = OptionalDouble.of(bytesPerSecond);
        return new Link(rate, rate, roundTrip, jitter);
    }

    /** Bytes per second in the spelling of a level: {@code 200mbit}. */
    public static String bandwidth(double bytesPerSecond) {
        return rate(bytesPerSecond);
    }

    /** Whether something is emulated. */
    public boolean isEmulated() {
        return !equals(LOOPBACK);
    }

    /**
     * A level as people read it: {@code direct} for {@code loopback}, if the server is on another host. The levels of
     * trials do not change.
     */
    public static String inWords(String level, boolean isRemote) {
        return isRemote && level.equals(LOOPBACK.toString()) ? DIRECT : level;
    }

    /** The same for the level of this factor among others. */
    public static Levels inWords(Levels levels, boolean isRemote) {
        return levels.find(FACTOR)
                .map(level -> levels.with(FACTOR.name(), inWords(level, isRemote)))
                .orElse(levels);
    }

    /** The text that {@link #parse} reads; the name if it is a preset. */
    @Override
    public String toString() {
        return PRESETS.stream()
                .filter(preset -> preset.link.equals(this))
                .map(Preset::name)
                .findFirst()
                .orElseGet(this::inFigures);
    }

    /**
     * Bandwidth and round trip, also of a preset: {@code 200mbit 3ms+-1ms}; {@code 1gbit 0ms} if {@code 1gbit} is the
     * name of a preset.
     */
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

    /** At most three digits after the point, without trailing zeros. */
    private static String number(double number) {
        return String.format(Locale.ROOT, "%.3f", number).replaceAll("\\.?0+$", "");
    }
}
