package dev.blobmark.value.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.data.relational.core.query.Criteria.where;
import static org.springframework.data.relational.core.query.Query.query;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.value.ValueFormat;
import dev.blobmark.value.ValueListener;
import dev.blobmark.value.spring.ValueTypeConverter;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.ConnectionFactoryOptions;
import io.r2dbc.spi.Option;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.annotation.Id;
import org.springframework.data.r2dbc.config.AbstractR2dbcConfiguration;
import org.springframework.data.r2dbc.convert.R2dbcCustomConversions;
import org.springframework.data.r2dbc.core.R2dbcEntityTemplate;
import org.springframework.data.r2dbc.dialect.MySqlDialect;
import org.springframework.data.relational.core.mapping.Table;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Spring Data R2DBC: how often it encodes and decodes, and on which threads. */
class R2dbcIT {

    private static final List<String> ENCODED_ON = new CopyOnWriteArrayList<>();
    private static final List<String> DECODED_ON = new CopyOnWriteArrayList<>();

    private static final ValueFormat FORMAT = ValueFormat.builder()
            .writes("deflate:6")
            .listener(new ValueListener() {
                @Override
                public void encoded(int rawBytes, int storedBytes, long nanos) {
                    ENCODED_ON.add(Thread.currentThread().getName());
                }

                @Override
                public void decoded(int rawBytes, int storedBytes, long nanos) {
                    DECODED_ON.add(Thread.currentThread().getName());
                }
            })
            .build();

    private static final byte[] OLD = "old ".repeat(100).getBytes();
    private static final byte[] NEW = "new ".repeat(100_000).getBytes();

    /** Bytes that are stored in the value format. */
    record Payload(byte[] bytes) {}

    /** A row. */
    @Table("reactive")
    record Order(@Id Integer id, Payload payload) {}

    /** As it is in the documentation. */
    @Configuration
    static class Config extends AbstractR2dbcConfiguration {

        private final ConnectionFactory connections;

        Config(ConnectionFactory connections) {
            this.connections = connections;
        }

        @Override
        public ConnectionFactory connectionFactory() {
            return connections;
        }

        @Override
        public R2dbcCustomConversions r2dbcCustomConversions() {
            return R2dbcCustomConversions.of(
                    MySqlDialect.INSTANCE,
                    List.of(new ValueTypeConverter<>(FORMAT, Payload.class, Payload::bytes, Payload::new)));
        }
    }

    private static ConnectionFactory connections(Endpoint endpoint) {
        return ConnectionFactories.get(ConnectionFactoryOptions.builder()
                .option(ConnectionFactoryOptions.DRIVER, "mariadb")
                .option(ConnectionFactoryOptions.HOST, endpoint.host())
                .option(ConnectionFactoryOptions.PORT, endpoint.port())
                .option(ConnectionFactoryOptions.USER, endpoint.user())
                .option(ConnectionFactoryOptions.PASSWORD, endpoint.password())
                .option(ConnectionFactoryOptions.DATABASE, TestServers.SCHEMA)
                // the account of a MySQL that was just started
                .option(Option.valueOf("allowPublicKeyRetrieval"), "true")
                .build());
    }

    /** Runs work that begins on a thread of this name. */
    private static <V> V on(String thread, Supplier<Mono<V>> work) {
        ENCODED_ON.clear();
        DECODED_ON.clear();
        return Mono.defer(work).subscribeOn(Schedulers.newSingle(thread)).block();
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aValueIsDecodedOnceWhenItIsLoadedAndEncodedOnceWhenItIsStored(String product) throws Exception {
        FORMAT.startWriting();
        DataSource source = TestServers.source(product);
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "DROP TABLE IF EXISTS reactive");
            Sql.execute(connection, "CREATE TABLE reactive (id INT PRIMARY KEY, payload MEDIUMBLOB)");
        }
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.registerBean(ConnectionFactory.class, () -> connections(TestServers.endpoint(product)));
            context.register(Config.class);
            context.refresh();
            R2dbcEntityTemplate template = context.getBean(R2dbcEntityTemplate.class);

            on("inserting", () -> template.insert(new Order(1, new Payload(OLD))));
            assertThat(ENCODED_ON).singleElement().asString().startsWith("inserting");
            assertThat(DECODED_ON).isEmpty();

            assertThat(load(template).payload().bytes()).isEqualTo(OLD);
            assertThat(ENCODED_ON).isEmpty();
            assertThat(DECODED_ON).singleElement().asString().startsWith("reactor-");

            on("updating", () -> template.update(new Order(1, new Payload(NEW))));
            assertThat(ENCODED_ON).singleElement().asString().startsWith("updating");
            assertThat(DECODED_ON).isEmpty();
            assertThat(load(template).payload().bytes()).isEqualTo(NEW);

            on("inserting", () -> template.insert(new Order(2, null)));
            try (Connection connection = source.getConnection();
                    var rows = connection.createStatement().executeQuery("SELECT payload FROM reactive ORDER BY id")) {
                rows.next();
                assertThat(rows.getBytes(1)).isEqualTo(FORMAT.encode(NEW)).hasSizeLessThan(NEW.length / 10);
                rows.next();
                assertThat(rows.getBytes(1)).isNull();
            }
        }
    }

    private static Order load(R2dbcEntityTemplate template) {
        return on(
                "loading",
                () -> template.select(Order.class)
                        .matching(query(where("id").is(1)))
                        .one());
    }
}
