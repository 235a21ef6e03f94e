package dev.blobmark.lab.study;

/**
 * One option of the command line that changes a study for a run.
 *
 * @param option its name with the dashes: {@code --set}
 * @param value as given: {@code driver=mariadb,connector-j}
 */
public record Adjustment(String option, String value) {

    /** As on the command line. */
    @Override
    public String toString() {
        return option + " " + value;
    }
}
