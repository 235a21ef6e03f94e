package dev.blobmark.reencode;

import dev.blobmark.mysql.admission.TableSession;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.table.DatasetException;
import dev.blobmark.mysql.table.SampleLimits;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.mysql.table.TableSample;
import dev.blobmark.reencode.check.Beginning;
import dev.blobmark.reencode.check.Check;
import dev.blobmark.reencode.check.Dependents;
import dev.blobmark.reencode.check.Forecast;
import dev.blobmark.reencode.check.Preflight;
import dev.blobmark.reencode.check.Preview;
import dev.blobmark.reencode.check.Sampled;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.State.Phase;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.cutover.CopyChecks;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Conversion;
import dev.blobmark.reencode.row.RowImage;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.table.Connections;
import dev.blobmark.reencode.table.Definition;
import dev.blobmark.reencode.table.TableFacts;
import dev.blobmark.reencode.terms.ReencodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Looks at a table and a sample of it before a change. Writes nothing to the server. */
final class Inspection {

    private static final int SAMPLED_VALUES = 1_000;
    private static final int SAMPLED_BYTES = 32 << 20;
    private static final int STATEMENT_MILLIS = 1_000;
    private static final long SEED = 20_261_126;

    private final Endpoint endpoint;
    private final TableSession session;
    private final Connection connection;
    private final TableColumn column;
    private final ReencodeOptions options;
    private final StateTable states;
    private final boolean isDividing;
    private final Path scratch;
    private final List<String> problems = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private OptionalLong counted = OptionalLong.empty();

    /**
     * @param isDividing whether several writers are to change the rows
     * @param scratch a directory for the sample
     */
    Inspection(
            Endpoint endpoint,
            TableSession session,
            TableColumn column,
            ReencodeOptions options,
            StateTable states,
            boolean isDividing,
            Path scratch) {
        this.endpoint = endpoint;
        this.session = session;
        connection = session.connection();
        this.column = column;
        this.options = options;
        this.states = states;
        this.isDividing = isDividing;
        this.scratch = scratch;
    }

    /** Rows of the table, if they could be counted. */
    OptionalLong counted() {
        return counted;
    }

    /** @param before how values are stored; ignored if a change was begun already */
    Preview run(Before before, Target target) throws SQLException, IOException, InterruptedException {
        TableFacts facts = TableFacts.read(connection, column);
        List<String> missing = Preflight.missing(connection, column);
        problems.addAll(missing);
        Optional<State> state = missing.isEmpty() ? states.read(connection) : Optional.empty();
        state.flatMap(known -> Plan.conflict(known, target, options.isCopy())).ifPresent(problems::add);
        Optional<State> underWay = state.filter(State::isUnderWay);
        boolean isDone = state.filter(known -> Plan.isDone(known, target, options.isCopy()))
                .isPresent();
        Before was = state.map(State::before).orElse(before);
        Optional<TableKey> key = key();
        Sampled sampled = key.isPresent() && facts.problems(options.isCopy()).isEmpty()
                ? sample(
                        facts,
                        Conversion.to(target, was, Connections.dictionariesAsTheyAre(endpoint, column)),
                        key.get())
                : Sampled.NONE;
        Optional<State.Copy> copy = options.isCopy() && !isDone
                ? Optional.of(underWay.flatMap(State::copy).orElse(State.Copy.PLANNED))
                : Optional.empty();
        problems.addAll(Check.problems(new Beginning(
                connection,
                endpoint,
                column,
                options,
                facts,
                Optional.of(target),
                copy,
                options.isCopy(),
                underWay.isPresent() || isDone)));
        if (isDone) {
            remarks.add("nothing is left to be done: the former table is kept until --finish");
        } else if (copy.isPresent()) {
            remarks.addAll(CopyChecks.remarks(facts, CopyChecks.isByLog(connection, copy)));
            remarks.addAll(Definition.remarks(connection, column));
        }
        remarks.addAll(Preflight.remarks(connection, options));
        if (isDividing) {
            remarks.add("the time is that of one writer; several take less");
        }
        if (sampled.values() > 0) {
            counted = TableSample.countRows(connection, column, STATEMENT_MILLIS);
        }
        long rows = counted.orElse(sampled.rows(facts.rows()));
        RowImage.leaveOutStatements(connection);
        RowImage image = key.isPresent() ? RowImage.read(connection, column, key.get()) : RowImage.NONE;
        Forecast forecast = new Forecast(sampled, rows, image, options);
        return new Preview(
                new Preview.Subject(column.name(), was, target.codec(), options.isCopy(), facts.type()),
                new Preview.Amount(
                        rows,
                        facts.dataBytes(),
                        forecast.tableBytesAfter(facts.dataBytes()),
                        sampled.values(),
                        forecast.bytes(),
                        forecast.bytesAfter(),
                        sampled.changed() * sampled.valueShare(),
                        keepsOriginals(state) ? sampled.originals() : 0),
                new Preview.Cost(image.kind(), forecast.binlogBytes(), forecast.seconds()),
                Dependents.read(connection, column),
                Preflight.readers(connection, endpoint, column),
                problems,
                remarks,
                state.map(State::inWords));
    }

    /** Without one, that is a problem. */
    private Optional<TableKey> key() throws SQLException {
        try {
            return Optional.of(TableKey.of(connection, column));
        } catch (DatasetException e) {
            problems.add(e.getMessage());
            return Optional.empty();
        }
    }

    private Sampled sample(TableFacts facts, Conversion conversion, TableKey key)
            throws SQLException, IOException, InterruptedException {
        Path values = scratch.resolve("values");
        try {
            TableColumn.Sample sample = session.read(
                    column, SEED, new SampleLimits(SAMPLED_VALUES, SAMPLED_BYTES, STATEMENT_MILLIS), values);
            int pageBytes = Integer.parseInt(JdbcDriver.variable(connection, "innodb_page_size"));
            return Sampled.of(sample, Files.readAllBytes(values), conversion, pageBytes);
        } catch (DatasetException e) { // an empty table may be changed
            remarks.add("there is no sample: " + e.getMessage());
            return Sampled.NONE;
        } catch (Sampled.UnreadableException e) {
            problems.add(e.inWords(connection, column, key, facts.dataType()));
            return Sampled.NONE;
        }
    }

    /** Whether what a sample shows as encoded was encoded by others than the change itself. */
    private boolean keepsOriginals(Optional<State> state) {
        return options.keepsOriginals()
                && !options.isCopy()
                && state.filter(known -> known.phase() != Phase.REVERTED).isEmpty();
    }
}
