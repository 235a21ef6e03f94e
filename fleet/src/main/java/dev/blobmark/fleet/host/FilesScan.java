package dev.blobmark.fleet.host;

import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** Reads a column of files by all executors. Their values stay there, but for the sample. */
final class FilesScan {

    /** In levels, so that the driver merges a few sketches only. */
    static final int DEPTH = 2;

    private FilesScan() {}

    /** @throws IllegalArgumentException if the column has neither text nor bytes */
    static ColumnSketch run(SparkSession spark, FilesRequest request) {
        Dataset<Row> column = files(spark, request).select(request.column());
        DataType type = column.schema().apply(0).dataType();
        if (!type.equals(DataTypes.BinaryType) && !type.equals(DataTypes.StringType)) {
            throw new IllegalArgumentException("the column " + request.column() + " is of the type "
                    + type.simpleString() + "; name one of text or bytes, or one of its fields as in payload.body");
        }
        SampleSize size = request.size();
        return column.toJavaRDD()
                .treeAggregate(
                        new ColumnSketch(),
                        (sketch, row) -> {
                            add(sketch, row, size);
                            return sketch;
                        },
                        (one, other) -> one.plus(other, size),
                        DEPTH);
    }

    private static Dataset<Row> files(SparkSession spark, FilesRequest request) {
        var reader = spark.read().format(request.format());
        return request.format().equals("json") && !request.column().contains(".")
                // otherwise all lines would be read before, to find their fields
                ? reader.schema("`" + request.column().replace("`", "``") + "` STRING")
                        .load(request.path())
                : reader.load(request.path());
    }

    private static void add(ColumnSketch sketch, Row row, SampleSize size) {
        if (row.isNullAt(0)) {
            sketch.addMissing();
            return;
        }
        byte[] value =
                row.get(0) instanceof byte[] bytes ? bytes : row.getString(0).getBytes(StandardCharsets.UTF_8);
        sketch.add(value, ColumnSketch.hash(value), size);
    }
}
