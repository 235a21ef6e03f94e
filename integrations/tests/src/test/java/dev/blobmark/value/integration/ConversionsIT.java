package dev.blobmark.value.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.value.ValueFormat;
import dev.blobmark.value.ValueListener;
import dev.blobmark.value.jooq.ValueBinding;
import dev.blobmark.value.jpa.ValueAttributeConverter;
import dev.blobmark.value.jpa.ValueSessionCustomizer;
import dev.blobmark.value.jpa.ValueType;
import dev.blobmark.value.mybatis.ValueTypeHandler;
import dev.blobmark.value.spring.ValueTypeConverter;
import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Convert;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Persistence;
import jakarta.persistence.Table;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.apache.ibatis.annotations.Result;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.eclipse.persistence.annotations.Mutable;
import org.eclipse.persistence.sessions.Session;
import org.eclipse.persistence.sessions.SessionCustomizer;
import org.hibernate.annotations.Type;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.data.jdbc.core.JdbcAggregateTemplate;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;

/** How often each library encodes and decodes: a load decodes once, an update encodes once, and that is all. */
class ConversionsIT {

    private static int encoded;
    private static int decoded;

    private static final ValueFormat COUNTED = ValueFormat.builder()
            .writes("deflate:6")
            .listener(new ValueListener() {
                @Override
                public void encoded(int rawBytes, int storedBytes, long nanos) {
                    encoded++;
                }

                @Override
                public void decoded(int rawBytes, int storedBytes, long nanos) {
                    decoded++;
                }
            })
            .build();

    /** As it is in the documentation. */
    @Converter
    public static class PayloadConverter extends ValueAttributeConverter implements AttributeConverter<byte[], byte[]> {
        public PayloadConverter() {
            super(COUNTED);
        }
    }

    /** As it is in the documentation. */
    public static class PayloadType extends ValueType {
        public PayloadType() {
            super(COUNTED);
        }
    }

    /** What both entities have. */
    interface Order {
        byte[] payload();

        void change(byte[] payload);
    }

    /** Of JPA. */
    @Entity(name = "Converted")
    @Table(name = "counted")
    public static class Converted implements Order {
        @Id
        int id;

        @Convert(converter = PayloadConverter.class)
        byte[] payload;

        @Override
        public byte[] payload() {
            return payload;
        }

        @Override
        public void change(byte[] to) {
            payload = to;
        }
    }

    /** Of EclipseLink, which finds changes of the array itself only so. */
    @Entity(name = "Mutated")
    @Table(name = "counted")
    public static class Mutated implements Order {
        @Id
        int id;

        @Mutable
        @Convert(converter = PayloadConverter.class)
        byte[] payload;

        @Override
        public byte[] payload() {
            return payload;
        }

        @Override
        public void change(byte[] to) {
            payload = to;
        }
    }

    /** Of Hibernate. */
    @Entity(name = "Typed")
    @Table(name = "counted")
    public static class Typed implements Order {
        @Id
        int id;

        @Type(PayloadType.class)
        byte[] payload;

        @Override
        public byte[] payload() {
            return payload;
        }

        @Override
        public void change(byte[] to) {
            payload = to;
        }
    }

    private static final byte[] OLD = "old ".repeat(100).getBytes();
    private static final byte[] NEW = "new ".repeat(100).getBytes();

    @BeforeEach
    void writing() {
        COUNTED.startWriting();
    }

    private static DataSource table(String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "DROP TABLE IF EXISTS counted");
            Sql.execute(connection, "CREATE TABLE counted (id INT PRIMARY KEY, payload MEDIUMBLOB)");
            try (var insert = connection.prepareStatement("INSERT INTO counted VALUES (1, ?)")) {
                insert.setBytes(1, COUNTED.encode(OLD));
                insert.executeUpdate();
            }
        }
        return source;
    }

    private static byte[] stored(DataSource source) throws Exception {
        try (Connection connection = source.getConnection();
                var rows = connection.createStatement().executeQuery("SELECT payload FROM counted WHERE id = 1")) {
            rows.next();
            return COUNTED.decode(rows.getBytes(1));
        }
    }

    private static void counted(int encodes, int decodes, Runnable work) {
        encoded = 0;
        decoded = 0;
        work.run();
        assertThat(List.of(encoded, decoded)).as("encodes, decodes").isEqualTo(List.of(encodes, decodes));
    }

    @ParameterizedTest(name = "{0}, {1}, {2}")
    @CsvSource({
        "Hibernate, Converted, MariaDB",
        "Hibernate, Converted, MySQL",
        "Hibernate, Typed, MariaDB",
        "Hibernate, Typed, MySQL",
        "EclipseLink, Converted, MariaDB",
        "EclipseLink, Converted, MySQL",
        "EclipseLink, Mutated, MariaDB",
        "EclipseLink, Mutated, MySQL"
    })
    void anEntityIsDecodedOnceWhenItIsLoadedAndEncodedOnceWhenItWasChanged(String unit, String entity, String product)
            throws Exception {
        DataSource source = table(product);
        Class<? extends Order> type = switch (entity) {
            case "Typed" -> Typed.class;
            case "Mutated" -> Mutated.class;
            default -> Converted.class;
        };
        try (EntityManagerFactory factory = entities(unit, source, product, ValueSessionCustomizer.class)) {
            EntityManager entities = factory.createEntityManager();
            entities.getTransaction().begin();
            try {
                Order[] order = new Order[1];
                counted(0, 1, () -> order[0] = entities.find(type, 1));
                assertThat(order[0].payload()).isEqualTo(OLD);
                counted(0, 0, entities::flush);
                counted(1, 0, () -> {
                    order[0].change(NEW.clone());
                    entities.flush();
                });
                counted(0, 0, entities::flush);
                counted(
                        0,
                        0,
                        () -> { // another array with the same bytes
                            order[0].change(NEW.clone());
                            entities.flush();
                        });
                if (!unit.equals("EclipseLink") || type == Mutated.class) { // changes of the array itself
                    counted(1, 0, () -> {
                        order[0].payload()[0] = 'N';
                        entities.flush();
                    });
                }
                entities.getTransaction().commit();
                assertThat(stored(source)).isEqualTo(order[0].payload());
            } finally {
                if (entities.getTransaction().isActive()) { // would keep the table's lock
                    entities.getTransaction().rollback();
                }
                entities.close();
            }
        }
    }

    private static EntityManagerFactory entities(
            String unit, DataSource source, String product, Class<? extends SessionCustomizer> customizer) {
        return Persistence.createEntityManagerFactory(
                unit,
                Map.of(
                        "jakarta.persistence.nonJtaDataSource",
                        source,
                        // the driver is that of MariaDB for both
                        "hibernate.dialect",
                        "org.hibernate.dialect." + product + "Dialect",
                        "eclipselink.target-database",
                        "MySQL",
                        "eclipselink.session.customizer",
                        customizer.getName()));
    }

    /** Changes nothing. */
    public static final class NoCustomizer implements SessionCustomizer {
        @Override
        public void customize(Session session) {}
    }

    /** What the customizer is for; when this fails, EclipseLink needs it no more. */
    @Test
    void eclipseLinkAloneEncodesThreeTimesForAnUpdate() throws Exception {
        DataSource source = table("MariaDB");
        try (EntityManagerFactory factory = entities("EclipseLink", source, "MariaDB", NoCustomizer.class);
                EntityManager entities = factory.createEntityManager()) {
            entities.getTransaction().begin();
            Converted order = entities.find(Converted.class, 1);
            counted(3, 0, () -> {
                order.change(NEW.clone());
                entities.flush();
            });
            counted(2, 0, () -> {
                order.change(NEW.clone());
                entities.flush();
            });
            entities.getTransaction().commit();
        }
    }

    /** What the document says of EclipseLink. */
    @ParameterizedTest
    @ValueSource(classes = {NoCustomizer.class, ValueSessionCustomizer.class})
    void eclipseLinkStoresNoChangeOfTheArrayItselfUnlessItIsMutable(Class<? extends SessionCustomizer> customizer)
            throws Exception {
        DataSource source = table("MariaDB");
        try (EntityManagerFactory factory = entities("EclipseLink", source, "MariaDB", customizer)) {
            inTransaction(factory, entities -> entities.find(Converted.class, 1).payload[0] ^= 1);
            assertThat(stored(source)).isEqualTo(OLD);
            inTransaction(factory, entities -> entities.find(Mutated.class, 1).payload[0] ^= 1);
            assertThat(stored(source)).isNotEqualTo(OLD);
        }
    }

    /** A copy that was changed nowhere, such as one that a client sent back. */
    @Test
    void eclipseLinkEncodesTwiceForAMergeWithoutAChangeUnlessItIsCustomized() throws Exception {
        DataSource source = table("MariaDB");
        for (Class<? extends SessionCustomizer> customizer :
                List.<Class<? extends SessionCustomizer>>of(NoCustomizer.class, ValueSessionCustomizer.class)) {
            try (EntityManagerFactory factory = entities("EclipseLink", source, "MariaDB", customizer)) {
                Converted detached = new Converted();
                detached.id = 1;
                detached.payload = OLD.clone();
                counted(
                        customizer == NoCustomizer.class ? 2 : 0,
                        1,
                        () -> inTransaction(factory, entities -> entities.merge(detached)));
            }
        }
    }

    /** When this fails, the document needs no warning. */
    @Test
    void eclipseLinkEncodesAParameterThatIsAssignedAndNoneInAFunction() throws Exception {
        DataSource source = table("MariaDB");
        try (EntityManagerFactory factory = entities("EclipseLink", source, "MariaDB", ValueSessionCustomizer.class)) {
            counted(1, 0, () -> update(factory, "update Converted c set c.payload = :p where c.id = 1"));
            counted(
                    0,
                    0,
                    () -> update(factory, "update Converted c set c.payload = coalesce(:p, c.payload) where c.id = 1"));
        }
    }

    private static void update(EntityManagerFactory factory, String query) {
        inTransaction(
                factory,
                entities -> entities.createQuery(query).setParameter("p", NEW).executeUpdate());
    }

    private static void inTransaction(EntityManagerFactory factory, Consumer<EntityManager> work) {
        try (EntityManager entities = factory.createEntityManager()) {
            entities.getTransaction().begin();
            work.accept(entities);
            entities.getTransaction().commit();
        }
    }

    /** A row. */
    @org.springframework.data.relational.core.mapping.Table("counted")
    record Row(@org.springframework.data.annotation.Id Integer id, Payload payload) {}

    /** Bytes that are stored in the value format. */
    record Payload(byte[] bytes) {}

    /** As it is in the documentation. */
    @org.springframework.context.annotation.Configuration
    static class Conversions extends AbstractJdbcConfiguration {
        @Override
        protected List<?> userConverters() {
            return List.of(new ValueTypeConverter<>(COUNTED, Payload.class, Payload::bytes, Payload::new));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void springDataJdbcConvertsOnce(String product) throws Exception {
        DataSource source = table(product);
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.registerBean(NamedParameterJdbcOperations.class, () -> new NamedParameterJdbcTemplate(source));
            context.register(Conversions.class);
            context.refresh();
            JdbcAggregateTemplate template = context.getBean(JdbcAggregateTemplate.class);
            template.findById(1, Row.class); // makes what it needs later
            counted(
                    0,
                    1,
                    () -> assertThat(template.findById(1, Row.class).payload().bytes())
                            .isEqualTo(OLD));
            counted(1, 0, () -> template.update(new Row(1, new Payload(NEW))));
            assertThat(stored(source)).isEqualTo(NEW);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void jooqConvertsOnce(String product) throws Exception {
        DataSource source = table(product);
        DSLContext sql = DSL.using(source, product.equals("MySQL") ? SQLDialect.MYSQL : SQLDialect.MARIADB);
        Field<byte[]> payload = DSL.field("payload", SQLDataType.BLOB.asConvertedDataType(new ValueBinding(COUNTED)));
        counted(
                0,
                1,
                () -> assertThat(sql.select(payload)
                                .from(DSL.table("counted"))
                                .fetchSingle()
                                .value1())
                        .isEqualTo(OLD));
        counted(1, 0, () -> sql.update(DSL.table("counted")).set(payload, NEW).execute());
        assertThat(stored(source)).isEqualTo(NEW);
    }

    /** As it is in the documentation. */
    public static class PayloadHandler extends ValueTypeHandler {
        public PayloadHandler() {
            super(COUNTED);
        }
    }

    /** Statements. */
    public interface Mapper {
        @Select("SELECT payload FROM counted")
        @Result(property = "payload", column = "payload", typeHandler = PayloadHandler.class)
        Converted find();

        @Update("UPDATE counted SET payload = #{payload,jdbcType=BLOB,"
                + "typeHandler=dev.blobmark.value.integration.ConversionsIT$PayloadHandler}")
        void change(byte[] payload);
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void myBatisConvertsOnce(String product) throws Exception {
        DataSource source = table(product);
        var configuration = new org.apache.ibatis.session.Configuration(
                new Environment("test", new JdbcTransactionFactory(), source));
        configuration.addMapper(Mapper.class);
        try (SqlSession session =
                new SqlSessionFactoryBuilder().build(configuration).openSession(true)) {
            Mapper mapper = session.getMapper(Mapper.class);
            counted(0, 1, () -> assertThat(mapper.find().payload()).isEqualTo(OLD));
            counted(1, 0, () -> mapper.change(NEW));
            assertThat(stored(source)).isEqualTo(NEW);
        }
    }
}
