package dev.blobmark.fleet.host;

/**
 * A column of files.
 *
 * @param path of a file or directory, or several as Spark takes them
 * @param format of Spark: {@code parquet}, {@code orc}, {@code json}, {@code avro}, {@code delta}
 * @param column name; fields of structures are separated by dots
 */
public record FilesRequest(String path, String format, String column, SampleSize size) implements ScanRequest {}
