package dev.blobmark.analysis;

import dev.blobmark.lab.study.Selection;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.stats.Figure;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * One side of a comparison: the figures of a trial, or for an effect the ratios of two trials' figures.
 *
 * @param trials one trial, or the two of an effect
 * @param figures empty if nothing was measured
 * @param draws operations of a window, at the median, if the figure depends on their number; else 0
 * @param samples number of samples, with or without figures
 * @param unsteady number of these that were not steady
 * @param reason why nothing was measured; else empty
 */
record ClaimSubject(List<Trial> trials, List<Figure> figures, double draws, int samples, int unsteady, String reason) {

    Trial trial() {
        return trials.get(0);
    }

    String name() {
        return String.join("/", trials.stream().map(Trial::method).toList());
    }

    /** The same subject with 1 in place of each figure. */
    ClaimSubject ones() {
        return new ClaimSubject(
                trials,
                figures.stream()
                        .map(figure -> new Figure(figure.block(), figure.fork(), figure.round(), 1))
                        .toList(),
                draws,
                0,
                0,
                reason);
    }

    boolean isIn(Selection selection) {
        return selection.accepts(trial().method(), trial().levels());
    }

    /** What must be equal on both sides if the sides name these factors. */
    List<Object> matched(Set<String> named) {
        List<Object> all = new ArrayList<>();
        boolean byMethod = named.contains(Selection.METHOD);
        for (Trial trial : trials) {
            boolean isFirst = trial == trial();
            all.add(isFirst && byMethod ? variant(trial.method()) : "");
            all.add(trial.methodLevels().only(factor -> !(isFirst && byMethod) && !named.contains(factor)));
            all.add(trial.condition().only(factor -> !named.contains(factor)));
        }
        return all;
    }

    /** The suffix that {@code --set} adds to the name of a method: {@code @driver=mariadb}. */
    private static String variant(String method) {
        return method.substring(method.indexOf('@') < 0 ? method.length() : method.indexOf('@'));
    }
}
