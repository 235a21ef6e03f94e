package dev.blobmark.advice;

import dev.blobmark.mysql.server.directory.Ownership;
import dev.blobmark.mysql.server.directory.Trees;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Server curves that are kept in the user's cache, by everything that they depend on: server, hosts, JVM, driver and
 * threads. A stored curve is checked at a few sizes each time, and measured again if it is wrong.
 */
final class Curves {

    /** A stored curve may differ by this factor at the sizes that are checked. */
    private static final double MOST_DIFFERENCE = 1.3;

    /** What does not change a curve. */
    private static final Set<String> IGNORED =
            Set.of("Blobmark", "study", "links", "rounds", "forks", "seed", "warm-up", "window");

    private final Path directory;
    private final int threads;

    Curves(Path cache, int threads) {
        directory = cache.resolve("curves");
        this.threads = threads;
    }

    /** Measures a curve at some sizes, in a run of this name. */
    interface Measuring {
        MeasuredCurve at(List<String> sizes, String run) throws IOException, SQLException, InterruptedException;
    }

    /** @param surroundings in which it was measured, see {@link dev.blobmark.lab.run.Surroundings} */
    record MeasuredCurve(ServerCurve curve, Map<String, String> surroundings) {}

    /**
     * The curve of the server that is measured. It is known only then, so that the first curve in the cache is measured
     * at all sizes at once, and others first at the sizes that are checked.
     */
    ServerCurve find(Measuring measuring) throws IOException, SQLException, InterruptedException {
        if (isAnyStored()) {
            MeasuredCurve checked = measuring.at(CurveStudy.CHECKED, "curve");
            Optional<ServerCurve> stored = stored(checked);
            if (stored.isPresent() && stored.get().difference(checked.curve()) <= MOST_DIFFERENCE) {
                return stored.get();
            }
        }
        MeasuredCurve measured = measuring.at(CurveStudy.SIZES, isAnyStored() ? "curve-again" : "curve");
        store(measured);
        return measured.curve();
    }

    private boolean isAnyStored() throws IOException {
        if (!Files.isDirectory(directory)) {
            return false;
        }
        Ownership.requireOfCache(directory);
        try (Stream<Path> files = Files.list(directory)) {
            return files.anyMatch(file -> file.getFileName().toString().endsWith(".json"));
        }
    }

    private Optional<ServerCurve> stored(MeasuredCurve measured) throws IOException {
        Path file = file(measured);
        return Files.isRegularFile(file) && Ownership.problem(file).isEmpty()
                ? AdviceFile.readCurve(file)
                : Optional.empty();
    }

    private void store(MeasuredCurve measured) throws IOException {
        Trees.createPrivate(directory);
        Path begun = directory.resolve(".curve.part");
        AdviceFile.writeCurve(begun, measured.curve());
        Files.move(begun, file(measured), StandardCopyOption.REPLACE_EXISTING);
    }

    private Path file(MeasuredCurve measured) {
        Map<String, String> facts = new TreeMap<>(measured.surroundings());
        facts.keySet().removeIf(name -> IGNORED.contains(name) || name.startsWith("dataset "));
        facts.put("threads", Integer.toString(threads));
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(facts.toString().getBytes(StandardCharsets.UTF_8));
            return directory.resolve(HexFormat.of().formatHex(digest, 0, 12) + ".json");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
