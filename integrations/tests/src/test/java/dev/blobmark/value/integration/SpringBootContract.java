package dev.blobmark.value.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.value.DictionaryTable;
import dev.blobmark.value.ReaderRegistry;
import dev.blobmark.value.ReaderRegistry.Announcement;
import dev.blobmark.value.ReaderRegistry.Reader;
import dev.blobmark.value.StoredForm;
import dev.blobmark.value.ValueDictionary;
import dev.blobmark.value.ValueFormat;
import dev.blobmark.value.springboot.ValueAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** The starter in an application of Spring Boot. */
@SuppressWarnings("try") // announcements are there until they are closed
abstract class SpringBootContract {

    private static final byte[] VALUE = new byte[1_000];

    /** The health indicator: {@code status} and its details. */
    abstract Map<String, Object> health(ApplicationContext context);

    private static ApplicationContextRunner application() {
        return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ValueAutoConfiguration.class));
    }

    private static ApplicationContextRunner application(DataSource source) {
        return application()
                .withBean(DataSource.class, () -> source)
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withPropertyValues(
                        "spring.application.name=orders",
                        "blobmark.value.codec=zstd:3",
                        "blobmark.value.writing=true",
                        "blobmark.value.column=orders.payload",
                        "blobmark.value.registry.schema=shop");
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void announcesItselfWritesAndIsGoneWhenTheContextIsClosed(String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (ReaderRegistry readers = ReaderRegistry.in(source, "shop").create()) {
            application(source).run(context -> {
                assertThat(context).hasNotFailed();
                ValueFormat format = context.getBean(ValueFormat.class);
                assertThat(format.decode(format.encode(VALUE))).isEqualTo(VALUE);
                assertThat(format.encode(VALUE).length).isLessThan(100);
                assertThat(readers.readers()).singleElement().satisfies(reader -> {
                    assertThat(reader.name()).isEqualTo("orders");
                    assertThat(reader.codecs()).contains("zstd").doesNotContain("mysql");
                });
                assertThat(health(context))
                        .containsEntry("status", "UP")
                        .containsEntry("codec", "zstd:3")
                        .containsEntry("writing", true)
                        .containsEntry("reads", List.of("brotli", "deflate", "lz4", "snappy", "zstd"))
                        .doesNotContainKey("preventedBy");
                MeterRegistry meters = context.getBean(MeterRegistry.class);
                assertThat(meters.get("blobmark.value.written")
                                .tag("column", "orders.payload")
                                .counter()
                                .count())
                        .isEqualTo(2_000);
            });
            assertThat(readers.readers()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void startsAndStoresRawValuesWhileAReaderCannotReadAndNamesIt(String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (ReaderRegistry readers = ReaderRegistry.in(source, "shop").create();
                Announcement old = readers.announce(new Reader("reports in Python", 1, Set.of("deflate")))) {
            application(source).run(context -> {
                assertThat(context).hasNotFailed();
                ValueFormat format = context.getBean(ValueFormat.class);
                assertThat(format.encode(VALUE)).isSameAs(VALUE);
                Map<String, Object> health = health(context);
                assertThat(health).containsEntry("status", "UP").containsEntry("writing", false);
                assertThat(health.get("preventedBy").toString()).contains("reports in Python");
            });
        }
    }

    /** Of a reader that comes while the application writes. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void healthNamesAReaderThatCameLater(String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (ReaderRegistry readers = ReaderRegistry.in(source, "shop").create()) {
            application(source).run(context -> {
                assertThat(health(context)).containsEntry("writing", true);
                try (Announcement old = readers.announce(new Reader("reports in Python", 1, Set.of("deflate")))) {
                    assertThat(health(context)).containsEntry("writing", false);
                    assertThat(health(context).get("preventedBy").toString()).contains("reports in Python");
                    assertThat(context.getBean(ValueFormat.class).encode(VALUE)).isSameAs(VALUE);
                    assertThat(context.getBean(MeterRegistry.class)
                                    .get("blobmark.value.prevented")
                                    .counter()
                                    .count())
                            .isEqualTo(1);
                }
            });
        }
    }

    /** Nothing asks for the announcement, and other programs must know of this one. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void announcesItselfAndWritesWhereBeansAreLazy(String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (ReaderRegistry readers = ReaderRegistry.in(source, "shop").create()) {
            application(source)
                    .withInitializer(context ->
                            context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        assertThat(readers.readers()).hasSize(1);
                        assertThat(context.getBean(ValueFormat.class).isWriting())
                                .isTrue();
                    });
        }
    }

    /** Reads in all of its life, such as for what it still has to do when the application ends. */
    record Service(ValueFormat format, ReaderRegistry readers, List<Integer> announced)
            implements InitializingBean, DisposableBean {

        @Override
        public void afterPropertiesSet() throws SQLException {
            announced.add(readers.readers().size());
        }

        @Override
        public void destroy() throws SQLException {
            announced.add(readers.readers().size());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Services {

        @Bean
        Service service(ValueFormat format, ReaderRegistry readers, @Qualifier("announced") Object announced) {
            @SuppressWarnings("unchecked")
            List<Integer> counts = (List<Integer>) announced;
            return new Service(format, readers, counts);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void isAnnouncedAsLongAsABeanReads(String product) throws Exception {
        DataSource source = TestServers.source(product);
        List<Integer> announced = new ArrayList<>();
        try (ReaderRegistry readers = ReaderRegistry.in(source, "shop").create()) {
            application(source)
                    .withBean("announced", List.class, () -> announced)
                    .withUserConfiguration(Services.class)
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(announced).containsExactly(1, 1);
            assertThat(readers.readers()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void anApplicationWithSeveralFormatsAnnouncesThemItself(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ValueFormat orders = ValueFormat.builder().writes("zstd:3").build();
        ValueFormat invoices =
                ValueFormat.builder().readsSql().writes("mysql:6").build();
        ApplicationContextRunner several = application()
                .withBean(DataSource.class, () -> source)
                .withBean("orders", ValueFormat.class, () -> orders)
                .withBean("invoices", ValueFormat.class, () -> invoices);
        several.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(health(context)).containsOnlyKeys("status", "orders", "invoices");
            assertThat(health(context).get("invoices"))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("codec", "mysql:6");
        });
        try (ReaderRegistry readers = ReaderRegistry.in(source, "shop").create()) {
            ApplicationContextRunner registered =
                    several.withPropertyValues("spring.application.name=shop", "blobmark.value.registry.schema=shop");
            registered.run(context -> assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("there are several beans of ValueFormat"));
            registered
                    .withBean("ordersAnnounced", Announcement.class, () -> announced(readers, orders))
                    .withBean("invoicesAnnounced", Announcement.class, () -> announced(readers, invoices))
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        assertThat(readers.readers()).hasSize(2);
                    });
        }
    }

    /** One of two sources is named. Both are closed after what uses them. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void theNamedSourceIsUsedAndClosedAfterTheAnnouncement(String product) throws Exception {
        DataSource source = TestServers.source(product);
        List<String> closed = new ArrayList<>();
        try (ReaderRegistry readers = ReaderRegistry.in(source, "shop").create()) {
            ApplicationContextRunner withTwo = application()
                    .withBean("of-reports", Closeable.class, () -> new Closeable(source, "of-reports", closed))
                    .withBean("of-orders", Closeable.class, () -> new Closeable(source, "of-orders", closed))
                    .withPropertyValues(
                            "spring.application.name=orders",
                            "blobmark.value.codec=zstd:3",
                            "blobmark.value.registry.schema=shop");
            withTwo.run(context -> assertThat(context).hasFailed());
            closed.clear();
            withTwo.withPropertyValues("blobmark.value.data-source=of-orders").run(context -> {
                assertThat(context).hasNotFailed();
                assertThat(readers.readers()).extracting(Reader::name).containsExactly("orders");
            });
            assertThat(closed).containsExactlyInAnyOrder("of-reports", "of-orders");
            assertThat(readers.readers()).isEmpty();
            withTwo.withPropertyValues("blobmark.value.data-source=of-nobody")
                    .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("of-nobody"));
        }
    }

    /** A source that gives nothing after it was closed. */
    static final class Closeable extends DelegatingDataSource implements AutoCloseable {

        private final String name;
        private final List<String> closed;

        Closeable(DataSource source, String name, List<String> closed) {
            super(source);
            this.name = name;
            this.closed = closed;
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (closed.contains(name)) {
                throw new SQLException(name + " is closed");
            }
            return super.getConnection();
        }

        @Override
        public void close() {
            closed.add(name);
        }
    }

    /** The primary one is not all that this program reads with. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aPrimaryFormatDoesNotStandForOthers(String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (ReaderRegistry readers = ReaderRegistry.in(source, "shop").create()) {
            application()
                    .withBean(DataSource.class, () -> source)
                    .withBean(
                            "orders",
                            ValueFormat.class,
                            () -> ValueFormat.builder().readsSql().build(),
                            definition -> definition.setPrimary(true))
                    .withBean(
                            "invoices",
                            ValueFormat.class,
                            () -> ValueFormat.builder().build())
                    .withPropertyValues("blobmark.value.registry.schema=shop")
                    .run(context -> assertThat(context)
                            .getFailure()
                            .rootCause()
                            .hasMessageContaining("there are several beans of ValueFormat"));
            assertThat(readers.readers()).isEmpty();
        }
    }

    /** Neither a builder of the application's nor what it announces for others stands for this program. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void whatIsAnnouncedIsTheFormat(String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (ReaderRegistry readers = ReaderRegistry.in(source, "shop").create()) {
            ApplicationContextRunner withBuilder = application(source)
                    .withBean(
                            "another",
                            ValueFormat.Builder.class,
                            () -> ValueFormat.builder().readsSql());
            withBuilder.run(context -> {
                assertThat(context).hasNotFailed();
                assertThat(readers.readers())
                        .singleElement()
                        .satisfies(reader -> assertThat(reader.codecs()).doesNotContain("mysql"));
            });
            withBuilder
                    .withBean(
                            "own",
                            ValueFormat.class,
                            () -> ValueFormat.builder().writes("zstd:3").build())
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        assertThat(readers.readers())
                                .singleElement()
                                .satisfies(reader -> assertThat(reader.codecs()).doesNotContain("mysql"));
                    });
            application(source)
                    .withBean(
                            "python",
                            Announcement.class,
                            () -> announced(readers, ValueFormat.builder().build()))
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        assertThat(readers.readers())
                                .extracting(Reader::name)
                                .containsExactlyInAnyOrder("orders", "shop");
                    });
        }
    }

    private static Announcement announced(ReaderRegistry readers, ValueFormat format) {
        try {
            return readers.announce("shop", format);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The words are those of the command line. "none" had another meaning there. */
    @Test
    void howLegacyValuesAreReadIsSaidByOneWord() {
        byte[] value = "short".getBytes();
        application()
                .withPropertyValues("blobmark.value.reads=frames")
                .run(context -> assertThat(
                                StoredForm.of(context.getBean(ValueFormat.class).encode(value))
                                        .kind())
                        .isEqualTo(StoredForm.Kind.STORED));
        application()
                .withPropertyValues("blobmark.value.reads=none")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("'frames' if all values of the column have one"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void healthListsDictionariesAndIsDownIfOneIsDamaged(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ValueDictionary dictionary =
                ValueDictionary.of("{\"customer\": \"delivery\"}".repeat(20).getBytes());
        String name = ValueDictionary.name(dictionary.number());
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "DROP TABLE IF EXISTS blobmark_dictionaries, blobmark_dictionary_columns");
            Sql.execute(connection, "CREATE TABLE IF NOT EXISTS boot_orders (id INT PRIMARY KEY, payload MEDIUMBLOB)");
            DictionaryTable table = DictionaryTable.in(source, "shop").create();
            table.add(dictionary, "shop.boot_orders", "payload");
            ApplicationContextRunner application = application()
                    .withBean(DataSource.class, () -> source)
                    .withPropertyValues("blobmark.value.dictionaries.schema=shop");
            application.run(context -> assertThat(health(context))
                    .containsEntry("status", "UP")
                    .containsEntry("dictionaries", List.of(name))
                    .containsEntry("withdrawnDictionaries", List.of())
                    .containsEntry("writing", false));
            table.withdraw(dictionary.number());
            application.run(
                    context -> assertThat(health(context)).containsEntry("withdrawnDictionaries", List.of(name)));
            Sql.execute(connection, "UPDATE blobmark_dictionaries SET bytes = CONCAT(bytes, 'x')");
            application.run(context -> assertThat(health(context))
                    .containsEntry("status", "DOWN")
                    .containsEntry("damagedDictionaries", List.of(name)));
            Sql.execute(connection, "DROP TABLE blobmark_dictionaries, blobmark_dictionary_columns");
        }
    }

    @Test
    void withoutPropertiesItOnlyReads() {
        application().run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(ReaderRegistry.class);
            ValueFormat format = context.getBean(ValueFormat.class);
            assertThat(format.encode(VALUE)).isSameAs(VALUE);
            assertThat(format.codec()).isEmpty();
        });
    }

    @Test
    void anApplicationKeepsItsOwnFormat() {
        ValueFormat own = ValueFormat.builder().writes("deflate:6").build();
        application()
                .withBean(ValueFormat.class, () -> own)
                .withPropertyValues("blobmark.value.codec=zstd:3", "blobmark.value.writing=true")
                .run(context -> {
                    assertThat(context.getBean(ValueFormat.class)).isSameAs(own);
                    assertThat(own.isWriting()).isTrue();
                });
        assertThat(own.isWriting()).isFalse();
    }

    @Test
    void propertiesThatCannotBeMeantFailAtTheStart() {
        application()
                .withPropertyValues("blobmark.value.writing=true")
                .run(context -> assertThatThrownBy(() -> context.getBean(ValueFormat.class))
                        .hasStackTraceContaining("blobmark.value.writing is true; set blobmark.value.codec"));
        application()
                .withPropertyValues("blobmark.value.codec=mysql:6")
                .run(context -> assertThatThrownBy(() -> context.getBean(ValueFormat.class))
                        .hasStackTraceContaining("add readsSql()"));
        application()
                .withPropertyValues("blobmark.value.codec=mysql:6", "blobmark.value.reads-sql=true")
                .run(context -> assertThat(context.getBean(ValueFormat.class).canRead("mysql"))
                        .isTrue());
    }
}
