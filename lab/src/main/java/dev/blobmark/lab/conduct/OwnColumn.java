package dev.blobmark.lab.conduct;

import dev.blobmark.lab.dataset.Dataset;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.store.Column;
import dev.blobmark.lab.study.Method;
import dev.blobmark.lab.study.Study;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Replaces the column {@code own} in the methods of a study by the column type of the values' source. A trial's id
 * contains that type, so an id never stands for two types.
 */
public final class OwnColumn {

    /** The collation of a text column, after its character set. */
    private static final Pattern COLLATION = Pattern.compile("(?<=text:[a-z0-9]{1,20})_.*");

    private OwnColumn() {}

    /**
     * The study with a column type in place of each {@code own}.
     *
     * @param opened datasets whose values have been read, by id
     * @param isOnTheirServer whether the values are measured on the server they come from, which has their collation
     * @throws IllegalArgumentException if there is no such type, or there are several
     * @throws dev.blobmark.mysql.table.DatasetException if the values cannot be read
     */
    public static Study resolve(Study study, Map<String, Dataset> opened, boolean isOnTheirServer) {
        String factor = Column.FACTOR.name();
        if (study.methods().stream().noneMatch(OwnColumn::isOwn)) {
            return study;
        }
        Set<String> types = study.trials(Factors.VOCABULARY).stream()
                .map(trial -> trial.design().get(Datasets.FACTOR))
                .map(dataset -> opened.getOrDefault(dataset.id(), dataset))
                .map(dataset -> column(dataset, isOnTheirServer))
                .collect(Collectors.toSet());
        if (types.size() > 1) {
            throw new IllegalArgumentException("the datasets have columns of different types ("
                    + String.join(", ", types) + "), and column=own needs a single type; run each dataset by itself");
        }
        String type = types.iterator().next();
        return study.with(study.methods().stream()
                .map(method ->
                        isOwn(method) ? new Method(method.id(), method.levels().with(factor, type)) : method)
                .toList());
    }

    private static boolean isOwn(Method method) {
        return method.levels().find(Column.FACTOR).equals(Optional.of(Column.OWN.id()));
    }

    private static String column(Dataset dataset, boolean isOnTheirServer) {
        String type = dataset.nativeColumn().orElse(Column.MEDIUMBLOB.id());
        try {
            return Column.FACTOR.canonical(
                    isOnTheirServer ? type : COLLATION.matcher(type).replaceFirst(""));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    dataset + ": " + e.getMessage() + "; 'run blob-fetch --data " + dataset + "' measures its bytes",
                    e);
        }
    }
}
