package dev.blobmark.fleet.host;

import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * Parts of a table, which are read by one statement each.
 *
 * @param driverJar the MariaDB driver, on the machine of Spark's driver
 */
public record TableRequest(String driverJar, Login login, List<Part> parts, SampleSize size) implements ScanRequest {

    /**
     * How to connect. It has the password, and is never printed.
     *
     * @param properties of the driver
     * @param files contents of the files that properties name
     */
    public record Login(String url, Map<String, String> properties, Map<String, byte[]> files) implements Serializable {

        @Override
        public String toString() {
            return url;
        }
    }

    /**
     * @param sql has two columns: the length of a value, and the value; this is NULL where it is too long
     * @param parameters numbers, texts and bytes
     */
    public record Part(String sql, List<Object> parameters) implements Serializable {}
}
