package dev.blobmark.fleet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.SplittableRandom;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;

/**
 * A column of any number of values of about 2 KB, for {@code bench/evidence/fleet-survey}; writes it in a process of
 * Spark.
 */
public final class LargeColumn {

    private LargeColumn() {}

    /** @param arguments PATH VALUES PARTS */
    public static void main(String[] arguments) throws IOException {
        try (SparkSession spark = SparkSession.builder()
                .master("local[2]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .getOrCreate()) {
            spark.range(0, Long.parseLong(arguments[1]), 1, Integer.parseInt(arguments[2]))
                    .map((MapFunction<Long, byte[]>) LargeColumn::value, Encoders.BINARY())
                    .toDF("payload")
                    .write()
                    .parquet(arguments[0]);
        }
    }

    /** An order as JSON. */
    static byte[] value(long number) {
        SplittableRandom random = new SplittableRandom(number);
        StringBuilder json = new StringBuilder("{\"id\": ")
                .append(number)
                .append(", \"customer\": ")
                .append(random.nextLong(1L << 40))
                .append(", \"lines\": [");
        for (int i = 5 + random.nextInt(26); i > 0; i--) {
            json.append("{\"sku\": \"")
                    .append(Long.toString(random.nextLong(1L << 30), 36))
                    .append("\", \"price\": ")
                    .append(random.nextInt(100_000) / 100)
                    .append(", \"count\": ")
                    .append(random.nextInt(9))
                    .append(", \"state\": \"")
                    .append(random.nextBoolean() ? "shipped" : "ordered")
                    .append("\", \"note\": \"")
                    .append(String.join("", Collections.nCopies(random.nextInt(4), "leave at the door please ")))
                    .append("\"}, ");
        }
        return json.append("]}").toString().getBytes(StandardCharsets.UTF_8);
    }
}
