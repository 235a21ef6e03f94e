package dev.blobmark.bench.reencode.random;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What happened in a trial, line by line, with the seconds since its beginning. Several threads add to it. */
final class Log {

    private final long beginNanos = System.nanoTime();
    private final List<String> lines = new ArrayList<>();

    double seconds() {
        return (System.nanoTime() - beginNanos) / 1e9;
    }

    synchronized void add(String line) {
        lines.add(String.format(Locale.ROOT, "%6.3f %s", seconds(), line));
    }

    synchronized List<String> lines() {
        return List.copyOf(lines);
    }
}
