package dev.blobmark.value.integration;

import dev.blobmark.value.jooq.ValueBinding;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/** jOOQ with a binding. */
final class JooqOrders implements Orders {

    private static final Table<Record> ORDERS = DSL.table("orders");
    private static final Field<Integer> ID = DSL.field("id", Integer.class);

    /** As it is in the documentation. */
    static final class PayloadBinding extends ValueBinding {
        private static final long serialVersionUID = 1L;

        PayloadBinding() {
            super(Formats.PAYLOAD);
        }
    }

    private final DSLContext sql;
    private final Field<byte[]> payload;

    private JooqOrders(DataSource source, boolean isMySql, Field<byte[]> payload) {
        System.setProperty("org.jooq.no-logo", "true");
        System.setProperty("org.jooq.no-tips", "true");
        sql = DSL.using(source, isMySql ? SQLDialect.MYSQL : SQLDialect.MARIADB);
        this.payload = payload;
    }

    static Orders made(DataSource source, boolean isMySql) {
        return new JooqOrders(
                source,
                isMySql,
                DSL.field("payload", SQLDataType.BLOB.asConvertedDataType(new ValueBinding(Formats.PAYLOAD))));
    }

    static Orders bound(DataSource source, boolean isMySql) {
        return new JooqOrders(
                source, isMySql, DSL.field("payload", SQLDataType.BLOB.asConvertedDataType(new PayloadBinding())));
    }

    @Override
    public void insert(int id, byte[] bytes) {
        sql.insertInto(ORDERS).set(ID, id).set(payload, bytes).execute();
    }

    @Override
    public byte[] payload(int id) {
        return sql.select(payload).from(ORDERS).where(ID.eq(id)).fetchSingle().value1();
    }
}
