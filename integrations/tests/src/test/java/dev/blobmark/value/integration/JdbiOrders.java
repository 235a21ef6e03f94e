package dev.blobmark.value.integration;

import dev.blobmark.value.jdbi.Encoded;
import dev.blobmark.value.jdbi.ValuePlugin;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/** JDBI with a plugin. */
final class JdbiOrders implements Orders {

    /** A row, as it is in the documentation. */
    public record Order(int id, @Encoded byte[] payload) {}

    private final Jdbi jdbi;

    JdbiOrders(DataSource source) {
        jdbi = Jdbi.create(source).installPlugin(new ValuePlugin(Formats.PAYLOAD));
    }

    @Override
    public void insert(int id, byte[] payload) {
        jdbi.useHandle(handle -> handle.createUpdate("INSERT INTO orders VALUES (:id, :payload)")
                .bind("id", id)
                .bindByType("payload", payload, ValuePlugin.ENCODED)
                .execute());
    }

    @Override
    public byte[] payload(int id) {
        return jdbi.withHandle(handle -> handle.createQuery("SELECT id, payload FROM orders WHERE id = :id")
                .bind("id", id)
                .map(ConstructorMapper.of(Order.class))
                .one()
                .payload());
    }
}
