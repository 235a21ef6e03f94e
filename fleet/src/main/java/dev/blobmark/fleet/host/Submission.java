package dev.blobmark.fleet.host;

import org.apache.spark.deploy.SparkSubmit;

/**
 * Starts {@link SparkDriver} as {@code spark-submit} does. What is printed before, such as by Ivy when it has read its
 * settings, must not be mixed with the answers.
 */
public final class Submission {

    private Submission() {}

    /** @param args of {@code spark-submit} */
    public static void main(String[] args) {
        System.setOut(System.err);
        SparkSubmit.main(args);
    }
}
