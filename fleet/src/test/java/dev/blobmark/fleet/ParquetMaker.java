package dev.blobmark.fleet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Writes files with the same rows in several parts; runs in a process of Spark. */
public final class ParquetMaker {

    static final int ROWS = 3_000;

    private ParquetMaker() {}

    /** @param arguments FORMAT PATH PARTS, any number of times */
    public static void main(String[] arguments) throws IOException {
        try (SparkSession spark = SparkSession.builder()
                .master("local[1]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.sql.shuffle.partitions", "1")
                .config(SparkPackages.DELTA)
                .getOrCreate()) {
            List<Row> rows = new ArrayList<>();
            IntStream.range(0, ROWS).forEach(i -> rows.add(RowFactory.create(i, i % 100 == 7 ? null : value(i))));
            StructType type = new StructType().add("id", DataTypes.IntegerType).add("payload", DataTypes.BinaryType);
            for (int i = 0; i < arguments.length; i += 3) {
                var table = spark.createDataFrame(rows, type).repartition(Integer.parseInt(arguments[i + 2]));
                (arguments[i].equals("json") ? table.selectExpr("id", "CAST(payload AS STRING) AS payload") : table)
                        .write()
                        .format(arguments[i])
                        .save(arguments[i + 1]);
            }
        }
    }

    static byte[] value(int number) {
        Random random = new Random(number);
        StringBuilder text =
                new StringBuilder("{\"order\": ").append(number % 2_000).append(", \"lines\": [");
        int lines = 3 + random.nextInt(120);
        for (int i = 0; i < lines; i++) {
            text.append("{\"sku\": \"item-").append(random.nextInt(1_000)).append("\"}, ");
        }
        return text.append("]}").toString().getBytes(StandardCharsets.UTF_8);
    }
}
