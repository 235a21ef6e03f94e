package dev.blobmark.lab.machine;

import java.util.Locale;

/** Formats quantities for people. */
final class Quantities {

    private Quantities() {}

    /** {@code 23.5 GB}, {@code 96 MB}; 1 GB is 10⁹ bytes, 1 MB is 10⁶ bytes. */
    static String bytes(long bytes) {
        return bytes >= 1_000_000_000
                ? String.format(Locale.ROOT, "%.1f GB", bytes / 1e9)
                : String.format(Locale.ROOT, "%.0f MB", bytes / 1e6);
    }

    /** {@code 57.3 µs}, {@code 730 ns}. */
    static String nanos(double nanos) {
        return nanos >= 1000
                ? String.format(Locale.ROOT, "%.1f µs", nanos / 1e3)
                : String.format(Locale.ROOT, "%.0f ns", nanos);
    }
}
