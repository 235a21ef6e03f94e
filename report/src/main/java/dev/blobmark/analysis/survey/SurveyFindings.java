package dev.blobmark.analysis.survey;

import dev.blobmark.analysis.Prices;
import dev.blobmark.lab.survey.SurveyDirectory;
import dev.blobmark.lab.survey.SurveyedColumn;
import java.util.List;
import java.util.Optional;

/**
 * What a survey says.
 *
 * @param columns with a sample, the largest saving first
 * @param prices of the user; empty for none
 * @param server what {@code --server} is for the commands that are suggested
 */
public record SurveyFindings(
        SurveyDirectory.SurveyContents survey, List<ColumnFinding> columns, Optional<Prices> prices, String server) {

    public static SurveyFindings of(SurveyDirectory.SurveyContents survey, Optional<Prices> prices, String server) {
        List<ColumnFinding> columns = survey.columns().stream()
                .flatMap(column -> ColumnFinding.of(column).stream())
                .sorted(ColumnFinding.BY_SAVING)
                .toList();
        return new SurveyFindings(survey, columns, prices, server);
    }

    /** Columns for which there is no sample, with the reason. */
    public List<SurveyedColumn> notRead() {
        return survey.columns().stream()
                .filter(column -> column.notRead().isPresent())
                .toList();
    }

    /** Bytes that would be saved in all columns that are worth a look. */
    public double saving() {
        return columns.stream()
                .filter(ColumnFinding::isWorthALook)
                .mapToDouble(finding -> finding.saving().value())
                .sum();
    }

    /** Bytes of all columns that were read. */
    public double now() {
        return columns.stream().mapToDouble(ColumnFinding::now).sum();
    }

    /** The end of the survey; empty while it runs, or if it was killed. */
    public Optional<SurveyDirectory.SurveyEnd> end() {
        List<SurveyDirectory.SurveyEnd> ends = survey.ends();
        return ends.isEmpty() ? Optional.empty() : Optional.of(ends.get(ends.size() - 1));
    }
}
