package dev.blobmark.lab.conduct;

import dev.blobmark.lab.admission.RunLimits;
import dev.blobmark.lab.dataset.Dataset;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.dataset.TableValues;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.study.Study;
import dev.blobmark.mysql.admission.TableSession;
import dev.blobmark.mysql.server.Server;
import dev.blobmark.mysql.server.directory.Scratch;
import dev.blobmark.mysql.table.SampleLimits;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The samples of a user's tables that a study needs, read from the user's server before the study runs. They are in a
 * private directory, which closing deletes; the next run deletes that of a killed run.
 */
public final class TableSamples implements AutoCloseable {

    private final Optional<Scratch> scratch;
    private final Map<String, Dataset> byId = new TreeMap<>();

    private TableSamples(Optional<Scratch> scratch) {
        this.scratch = scratch;
    }

    /** The table columns from which a study takes its values. */
    public static List<TableValues> columns(Study study) {
        return study.trials(Factors.VOCABULARY).stream()
                .flatMap(trial -> trial.design().get(Datasets.FACTOR) instanceof TableValues column
                        ? Stream.of(column)
                        : Stream.empty())
                .collect(Collectors.toMap(TableValues::id, column -> column, (a, b) -> a, TreeMap::new))
                .values()
                .stream()
                .toList();
    }

    /**
     * Reads the samples that a study needs.
     *
     * @param source a running server; not opened if the study needs no samples
     * @throws dev.blobmark.mysql.table.DatasetException if a table cannot be read, with what to do
     * @throws dev.blobmark.mysql.server.ServerException if the server cannot be reached
     */
    public static TableSamples read(Study study, Servers.Source source, Path cache, RunLimits terms, Listener listener)
            throws SQLException, IOException, InterruptedException {
        return read(study, source, cache, terms, SampleLimits.OF_STUDY, listener);
    }

    /**
     * The same with other limits.
     *
     * @param most what is read of each column at most
     */
    public static TableSamples read(
            Study study, Servers.Source source, Path cache, RunLimits terms, SampleLimits most, Listener listener)
            throws SQLException, IOException, InterruptedException {
        List<TableValues> columns = columns(study);
        if (columns.isEmpty()) {
            return new TableSamples(Optional.empty());
        }
        Scratch scratch = Scratch.make(cache);
        TableSamples samples = new TableSamples(Optional.of(scratch));
        try (Server server = source.open(cache)) {
            for (TableValues column : columns) {
                listener.noticeIssued("reading a sample of " + column);
                Path file = scratch.path().resolve("sample-" + samples.byId.size());
                samples.byId.put(
                        column.id(),
                        column.with(TableSession.read(
                                server.endpoint(),
                                column.column(),
                                study.schedule().seed(),
                                most,
                                terms.load(),
                                file,
                                listener::noticeIssued)));
            }
            return samples;
        } catch (SQLException | IOException | InterruptedException | RuntimeException e) {
            samples.close();
            throw e;
        }
    }

    /** The datasets with their values, by id. */
    public Map<String, Dataset> datasets() {
        return Collections.unmodifiableMap(byId);
    }

    @Override
    public void close() {
        scratch.ifPresent(Scratch::close);
    }
}
