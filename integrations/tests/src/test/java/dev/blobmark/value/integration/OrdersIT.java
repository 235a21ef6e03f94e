package dev.blobmark.value.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.mysql.client.Sql;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each library stores frames, and reads them and what was stored before, on MariaDB and MySQL. */
class OrdersIT {

    private static final Map<String, BiFunction<DataSource, Boolean, Orders>> LIBRARIES = Map.of(
            "JDBC",
            (source, isMySql) -> new JdbcOrders(source),
            "JPA converter",
            JpaOrders::converted,
            "Hibernate type",
            JpaOrders::typed,
            "jOOQ",
            JooqOrders::made,
            "jOOQ, generated code",
            JooqOrders::bound,
            "MyBatis",
            (source, isMySql) -> new MyBatisOrders(source),
            "Spring Data JDBC",
            (source, isMySql) -> new SpringOrders(source),
            "JDBI",
            (source, isMySql) -> new JdbiOrders(source));

    static Stream<Arguments> librariesAndProducts() {
        return LIBRARIES.keySet().stream()
                .sorted()
                .flatMap(library -> Stream.of(Arguments.of(library, "MariaDB"), Arguments.of(library, "MySQL")));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("librariesAndProducts")
    void storesFramesAndReadsWhatWasStoredBefore(String library, String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (Connection connection = source.getConnection();
                Orders orders = LIBRARIES.get(library).apply(source, product.equals("MySQL"))) {
            Sql.execute(connection, "DROP TABLE IF EXISTS orders");
            Sql.execute(connection, "CREATE TABLE orders (id INT PRIMARY KEY, payload MEDIUMBLOB)");
            List<byte[]> values = values();
            Formats.PAYLOAD.stopWriting();
            for (int i = 0; i < values.size(); i++) {
                orders.insert(i, values.get(i));
                assertThat(stored(connection, i)).isEqualTo(values.get(i));
            }
            Formats.PAYLOAD.startWriting();
            int frames = 0;
            for (int i = 0; i < values.size(); i++) {
                orders.insert(100 + i, values.get(i));
                byte[] stored = stored(connection, 100 + i);
                frames += stored != null && stored.length < values.get(i).length ? 1 : 0;
                assertThat(orders.payload(i)).isEqualTo(values.get(i));
                assertThat(orders.payload(100 + i)).isEqualTo(values.get(i));
            }
            assertThat(frames).isEqualTo(2);
        }
    }

    private static List<byte[]> values() {
        byte[] noise = new byte[3_000];
        new Random(1).nextBytes(noise);
        List<byte[]> values = new ArrayList<>();
        values.add(null);
        values.add(new byte[0]);
        values.add("short".getBytes(StandardCharsets.UTF_8));
        values.add("[\"cup\", \"saucer\"]".repeat(100).getBytes(StandardCharsets.UTF_8));
        values.add(new byte[200_000]);
        values.add(noise);
        return values;
    }

    private static byte[] stored(Connection connection, int id) throws Exception {
        try (PreparedStatement select = connection.prepareStatement("SELECT payload FROM orders WHERE id = ?")) {
            select.setInt(1, id);
            try (ResultSet rows = select.executeQuery()) {
                rows.next();
                return rows.getBytes(1);
            }
        }
    }
}
