package dev.blobmark.value.integration;

import dev.blobmark.value.spring.ValueTypeConverter;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.annotation.Id;
import org.springframework.data.jdbc.core.JdbcAggregateTemplate;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.data.relational.core.mapping.Table;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;

/** Spring Data JDBC with a converter. */
final class SpringOrders implements Orders {

    /** Bytes that are stored in the value format. */
    record Payload(byte[] bytes) {}

    /** A row. */
    @Table("orders")
    record Order(@Id Integer id, Payload payload) {}

    /** As it is in the documentation. */
    @Configuration
    static class Config extends AbstractJdbcConfiguration {
        @Override
        protected List<?> userConverters() {
            return List.of(new ValueTypeConverter<>(Formats.PAYLOAD, Payload.class, Payload::bytes, Payload::new));
        }

        @Bean
        NamedParameterJdbcOperations operations(DataSource source) {
            return new NamedParameterJdbcTemplate(source);
        }
    }

    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private final JdbcAggregateTemplate template;

    SpringOrders(DataSource source) {
        context.registerBean(DataSource.class, () -> source);
        context.register(Config.class);
        context.refresh();
        template = context.getBean(JdbcAggregateTemplate.class);
    }

    @Override
    public void insert(int id, byte[] payload) {
        template.insert(new Order(id, payload == null ? null : new Payload(payload)));
    }

    @Override
    public byte[] payload(int id) {
        Payload payload = template.findById(id, Order.class).payload();
        return payload == null ? null : payload.bytes();
    }

    @Override
    public void close() {
        context.close();
    }
}
