package dev.blobmark.cli;

import dev.blobmark.lab.hosts.Cluster;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.admission.TableSession;
import dev.blobmark.mysql.admission.ToleratedLoad;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.WholeColumn;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** Reads a whole column of a table by the hosts of a cluster, while the server's load allows it. */
final class ColumnScan implements Cluster.Gate {

    /** Seconds for a part, until some have been read. */
    private static final double USUAL_SECONDS = 0.5;

    private final TableColumn column;
    private final int parts;
    private final TableSession session;
    private final RunProgress progress;
    private final long startedNanos = System.nanoTime();
    private double expectedSeconds;
    private double doneSeconds;

    private ColumnScan(TableColumn column, int parts, TableSession session, RunProgress progress) {
        this.column = column;
        this.parts = parts;
        this.session = session;
        this.progress = progress;
        expectedSeconds = USUAL_SECONDS * parts;
    }

    /**
     * Reads all values.
     *
     * @param load of the server with which reading continues
     * @throws dev.blobmark.mysql.table.DatasetException if the column cannot be read; with the remedy
     */
    static Cluster.Scanned run(
            Servers.Source source, TableColumn column, ToleratedLoad load, Cluster cluster, RunProgress progress)
            throws SQLException, IOException, InterruptedException {
        try (Server server = source.open(Variables.cache());
                TableSession session = TableSession.open(server.endpoint(), load, () -> {}, progress::noticeIssued)) {
            List<WholeColumn.TablePart> parts = WholeColumn.parts(session.connection(), column, WholeColumn.PART_BYTES);
            ColumnScan scan = new ColumnScan(column, parts.size(), session, progress);
            progress.runStarted(Path.of(""), Duration.ofMillis(Math.round(1e3 * scan.expectedSeconds)));
            return cluster.scan(new Cluster.TableRows(server.endpoint(), parts), scan);
        }
    }

    @Override
    public void await(int done) throws InterruptedException {
        session.pause(0, "" + column);
        double took = (System.nanoTime() - startedNanos) / 1e9;
        if (done > 0) {
            double expected = took * parts / done;
            progress.workAdded(expected - expectedSeconds);
            progress.workDone(took - doneSeconds);
            expectedSeconds = expected;
            doneSeconds = took;
        }
        progress.stepStarted("reading " + column.name() + " by the hosts, part " + (done + 1) + " of " + parts);
    }
}
