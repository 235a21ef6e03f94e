package dev.blobmark.value.integration;

import dev.blobmark.value.jpa.ValueAttributeConverter;
import dev.blobmark.value.jpa.ValueType;
import jakarta.persistence.Convert;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.function.BiFunction;
import java.util.function.Function;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.Type;
import org.hibernate.cfg.Configuration;

/** JPA with a converter, or Hibernate with a type. */
final class JpaOrders<T> implements Orders {

    /** As it is in the documentation. */
    @Converter
    public static class PayloadConverter extends ValueAttributeConverter {
        public PayloadConverter() {
            super(Formats.PAYLOAD);
        }
    }

    /** As it is in the documentation. */
    public static class PayloadType extends ValueType {
        public PayloadType() {
            super(Formats.PAYLOAD);
        }
    }

    /** Of JPA. */
    @Entity
    @Table(name = "orders")
    public static class ConvertedOrder {
        @Id
        int id;

        @Convert(converter = PayloadConverter.class)
        byte[] payload;
    }

    /** Of Hibernate. */
    @Entity
    @Table(name = "orders")
    public static class TypedOrder {
        @Id
        int id;

        @Type(PayloadType.class)
        byte[] payload;
    }

    private final SessionFactory sessions;
    private final Class<T> entity;
    private final BiFunction<Integer, byte[], T> maker;
    private final Function<T, byte[]> payload;

    private JpaOrders(
            DataSource source,
            boolean isMySql,
            Class<T> entity,
            BiFunction<Integer, byte[], T> maker,
            Function<T, byte[]> payload) {
        this.entity = entity;
        this.maker = maker;
        this.payload = payload;
        Configuration configuration = new Configuration().addAnnotatedClass(entity);
        configuration.getProperties().put("jakarta.persistence.nonJtaDataSource", source);
        // the driver is that of MariaDB for both
        if (isMySql) {
            configuration.setProperty("hibernate.dialect", "org.hibernate.dialect.MySQLDialect");
        }
        sessions = configuration.buildSessionFactory();
    }

    static Orders converted(DataSource source, boolean isMySql) {
        return new JpaOrders<>(
                source,
                isMySql,
                ConvertedOrder.class,
                (id, bytes) -> {
                    ConvertedOrder order = new ConvertedOrder();
                    order.id = id;
                    order.payload = bytes;
                    return order;
                },
                order -> order.payload);
    }

    static Orders typed(DataSource source, boolean isMySql) {
        return new JpaOrders<>(
                source,
                isMySql,
                TypedOrder.class,
                (id, bytes) -> {
                    TypedOrder order = new TypedOrder();
                    order.id = id;
                    order.payload = bytes;
                    return order;
                },
                order -> order.payload);
    }

    @Override
    public void insert(int id, byte[] bytes) {
        sessions.inTransaction(session -> session.persist(maker.apply(id, bytes)));
    }

    @Override
    public byte[] payload(int id) {
        return sessions.fromSession(session -> payload.apply(session.find(entity, id)));
    }

    @Override
    public void close() {
        sessions.close();
    }
}
