package dev.blobmark.reencode;

import dev.blobmark.mysql.Clock;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.cutover.Copying;
import dev.blobmark.reencode.cutover.SqlCopyServer;
import dev.blobmark.reencode.inplace.InParts;
import dev.blobmark.reencode.inplace.InPlace;
import dev.blobmark.reencode.inplace.LocalWriter;
import dev.blobmark.reencode.inplace.PartWriter;
import dev.blobmark.reencode.inplace.RemoteWriter;
import dev.blobmark.reencode.inplace.Work;
import dev.blobmark.reencode.inplace.WriterHost;
import dev.blobmark.reencode.row.Chunks;
import dev.blobmark.reencode.row.Conversion;
import dev.blobmark.reencode.row.RowImage;
import dev.blobmark.reencode.row.WritingConnection;
import dev.blobmark.reencode.table.BytesColumn;
import dev.blobmark.reencode.table.TableFacts;
import dev.blobmark.reencode.table.TableInForce;
import dev.blobmark.reencode.terms.ReencodeListener;
import dev.blobmark.reencode.terms.ReencodeOptions;
import dev.blobmark.reencode.throttle.Throttle;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** The ways in which a change is done: in place by one writer or by several, or by a copy. */
record Ways(
        Endpoint endpoint,
        TableColumn column,
        TableKey key,
        StateTable states,
        Conversion conversion,
        Throttle throttle,
        ReencodeOptions options,
        Open open) {

    /** The connections of the work. */
    record Open(Connection reading, Connection writing, Connection locking) {}

    /**
     * Does it to its end.
     *
     * @param table as it was before the plan looked at it; empty if its values can be changed in no way, as after an
     *     exchange
     * @param hosts whose processes change rows; empty if this process does
     */
    State run(
            State state,
            TableFacts facts,
            Optional<TableInForce> table,
            Optional<WriterHost.Starter> hosts,
            Reports.Reporting reporting,
            ReencodeListener listener)
            throws SQLException, IOException, InterruptedException {
        if (state.isCopying()) {
            return copy(state, facts, reporting, listener);
        }
        if (state.isDivided()) {
            return inParts(hosts).run(state, reporting);
        }
        try (InPlace work = new InPlace(
                work(),
                new InPlace.RowConnections(open.reading(), open.writing(), states),
                facts,
                table.orElseThrow(),
                options.keepsOriginals())) {
            return work.run(state, reporting);
        }
    }

    private InParts inParts(Optional<WriterHost.Starter> hosts) {
        int number = options.writers();
        PartWriter.Opening opening = hosts.<PartWriter.Opening>map(starter -> () -> new RemoteWriter(starter.start()))
                .orElse(() -> new LocalWriter(
                        endpoint, column, conversion, options, Math.max(1, Chunks.converters() / number)));
        return new InParts(column, states, open.locking(), throttle, opening, number);
    }

    private Work work() throws SQLException {
        return new Work(
                column,
                key,
                conversion,
                throttle,
                RowImage.read(open.writing(), column, key),
                options.pace().transaction().toNanos(),
                Chunks.converters(),
                Clock.SYSTEM);
    }

    private State copy(State state, TableFacts facts, Reports.Reporting reporting, ReencodeListener listener)
            throws SQLException, InterruptedException {
        Chunks.Limits limits = Chunks.Limits.of(
                open.writing(),
                facts.type(),
                BytesColumn.maxBytes(facts.dataType()).orElse(facts.maxBytes()));
        try (Connection finding = JdbcDriver.connectForChanging(endpoint)) {
            WritingConnection.prepare(finding);
            finding.setAutoCommit(true);
            SqlCopyServer server = new SqlCopyServer(
                    endpoint,
                    states,
                    open.locking(),
                    new SqlCopyServer.CopyTerms(
                            work(),
                            open.reading(),
                            open.writing(),
                            finding,
                            BytesColumn.value(column, facts.dataType()),
                            limits,
                            reporting::repeated,
                            listener));
            Copying copying = new Copying(server, column, Clock.SYSTEM);
            return copying.run(copying.begin(state), reporting, listener);
        }
    }
}
