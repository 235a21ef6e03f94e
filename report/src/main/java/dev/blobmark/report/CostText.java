package dev.blobmark.report;

import dev.blobmark.analysis.GivesUp;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.study.Study;
import java.util.List;
import java.util.stream.Collectors;

/** The costs of the best method of a ranking, one sentence each. */
final class CostText {

    private CostText() {}

    static List<String> of(Ranking ranking, Study study) {
        return GivesUp.of(ranking, study).stream().map(CostText::words).toList();
    }

    private static String words(GivesUp cost) {
        if (cost instanceof GivesUp.Consequence choice) {
            return words(choice);
        }
        if (cost instanceof GivesUp.EncodingSpeed encoding) {
            return "Writing encodes first"
                    + encoding.bytesPerSecond().stream()
                            .mapToObj(speed -> ", at " + Figures.amount(Metric.THROUGHPUT, speed) + " of a core")
                            .collect(Collectors.joining())
                    + ": 'workload: insert' or 'codec' measures what that takes.";
        }
        GivesUp.More more = (GivesUp.More) cost;
        return Figures.ratio(more.ratio()) + " times the " + words(more.resource()) + " of " + more.baseline()
                + ", by the medians.";
    }

    private static String words(GivesUp.Consequence choice) {
        return switch (choice) {
            case COMPRESSED_BY_SQL ->
                "The column holds what COMPRESS() made: SQL sees the values only through UNCOMPRESS().";
            case ENCODED_BYTES ->
                "The column holds encoded bytes: no JSON functions, LIKE or index on their content, and every"
                        + " program that reads or writes them needs the codec.";
            case DECODED_BY_SERVER ->
                "The server decodes: its processors are shared by all clients, and the wire carries the whole value.";
            case COMPRESSED_TABLE ->
                "The server compresses pages on its own threads when they change, and may hold them twice in the"
                        + " buffer pool.";
            case COMPRESSED_PAGES ->
                "Pages are compressed by holes in the file: that takes a file system with holes, and copies of the"
                        + " file may lose them.";
            case ANOTHER_SERVER ->
                "Another server to run, all of it in memory, outside the database's transactions and backups.";
            case CONNECTION_OF_THREAD ->
                "A connection for each thread: no check before use, no time-out, no limit but the number of threads,"
                        + " and no detection of leaks.";
            case ASYNCHRONOUS ->
                "An asynchronous client: code in callbacks, and many operations in flight on one connection.";
        };
    }

    private static String words(GivesUp.Resource resource) {
        return switch (resource) {
            case CLIENT_CPU -> "CPU of the client";
            case SERVER_CPU -> "CPU of the server";
            case ALLOCATION -> "bytes allocated by the client";
            case DISK -> "disk";
        };
    }
}
