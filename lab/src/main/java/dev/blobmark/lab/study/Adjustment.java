package dev.blobmark.lab.study;

/**
 * A command-line option that changes a study for one run.
 *
 * @param option name with the dashes: {@code --set}
 * @param value as given: {@code driver=mariadb,connector-j}
 */
public record Adjustment(String option, String value) {

    /** {@code --set driver=mariadb}. */
    @Override
    public String toString() {
        return option + " " + value;
    }
}
