package dev.blobmark.value.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.value.Legacy;
import dev.blobmark.value.StoredForm;
import dev.blobmark.value.ValueFormat;
import dev.blobmark.value.jooq.ValueBinding;
import java.sql.Connection;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Record1;
import org.jooq.SQLDialect;
import org.jooq.Select;
import org.jooq.SelectJoinStep;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tables of the documentation: what jOOQ encodes and decodes, and what it passes on as it is. */
class JooqWritesIT {

    private static final ValueFormat FORMAT =
            ValueFormat.builder().reads(Legacy.NONE).build();
    private static final Table<Record> ORDERS = DSL.table("jooq_orders");
    private static final Field<Integer> ID = DSL.field("id", Integer.class);
    private static final Field<byte[]> PAYLOAD =
            DSL.field("payload", SQLDataType.BLOB.asConvertedDataType(new ValueBinding(FORMAT)));
    private static final byte[] BYTES = "a new value".getBytes();

    /** Expressions of a parameter, by whether jOOQ gives it the type of the field. */
    private static Map<Function<Field<byte[]>, Field<byte[]>>, Boolean> expressions() {
        Map<Function<Field<byte[]>, Field<byte[]>>, Boolean> all = new LinkedHashMap<>();
        all.put(value -> value, true);
        all.put(value -> DSL.coalesce(PAYLOAD, value), false);
        all.put(value -> DSL.nvl(PAYLOAD, value), false);
        all.put(value -> DSL.when(ID.eq(1), value).otherwise(PAYLOAD), false);
        all.put(value -> DSL.choose(ID).when(1, value).otherwise(PAYLOAD), false);
        all.put(value -> DSL.iif(ID.eq(1), value, PAYLOAD), false);
        all.put(value -> DSL.coalesce(value, PAYLOAD), false);
        all.put(value -> DSL.field("coalesce({0}, payload)", PAYLOAD.getDataType(), value), false);
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aParameterIsEncodedIfItHasTheTypeOfTheField(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DSLContext sql = DSL.using(source, product.equals("MySQL") ? SQLDialect.MYSQL : SQLDialect.MARIADB);
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "DROP TABLE IF EXISTS jooq_orders");
            Sql.execute(connection, "CREATE TABLE jooq_orders (id INT PRIMARY KEY, payload BLOB)");
            int number = 0;
            for (var expression : expressions().entrySet()) {
                String what = "expression " + number++;
                for (boolean isTyped : new boolean[] {false, true}) {
                    Field<byte[]> value = isTyped ? DSL.val(BYTES, PAYLOAD) : DSL.val(BYTES);
                    sql.deleteFrom(ORDERS).execute();
                    sql.insertInto(ORDERS).set(ID, 1).execute();
                    sql.update(ORDERS)
                            .set(PAYLOAD, expression.getKey().apply(value))
                            .execute();
                    assertThat(isEncoded(sql)).as(what).isEqualTo(isTyped || expression.getValue());
                }
            }
            sql.deleteFrom(ORDERS).execute();
            sql.insertInto(ORDERS, ID, PAYLOAD)
                    .select(DSL.select(DSL.val(1), DSL.val(BYTES)))
                    .execute();
            assertThat(isEncoded(sql)).isFalse();
            sql.deleteFrom(ORDERS).execute();
            sql.insertInto(ORDERS, ID, PAYLOAD)
                    .select(DSL.select(DSL.val(1), DSL.val(BYTES, PAYLOAD)))
                    .execute();
            assertThat(isEncoded(sql)).isTrue();
            Sql.execute(connection, "DROP TABLE jooq_orders");
        }
    }

    /** Expressions that hold the field, by whether jOOQ gives them its type. */
    private static Map<Select<Record1<byte[]>>, Boolean> selects() {
        Map<Select<Record1<byte[]>>, Boolean> all = new LinkedHashMap<>();
        all.put(from(PAYLOAD), true);
        all.put(from(DSL.when(ID.eq(1), PAYLOAD)), true);
        all.put(from(DSL.when(ID.eq(2), (byte[]) null).otherwise(PAYLOAD)), false);
        all.put(from(DSL.when(ID.eq(2), DSL.castNull(PAYLOAD)).otherwise(PAYLOAD)), true);
        all.put(from(DSL.when(ID.ne(2), PAYLOAD).otherwise((byte[]) null)), true);
        Field<byte[]> none = DSL.castNull(byte[].class);
        all.put(from(none).where(DSL.falseCondition()).unionAll(from(PAYLOAD)), false);
        all.put(from(DSL.castNull(PAYLOAD)).where(DSL.falseCondition()).unionAll(from(PAYLOAD)), true);
        all.put(from(PAYLOAD).unionAll(from(none).where(DSL.falseCondition())), true);
        return all;
    }

    private static SelectJoinStep<Record1<byte[]>> from(Field<byte[]> field) {
        return DSL.select(field).from(ORDERS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aResultIsDecodedIfTheFirstOperandHasTheTypeOfTheField(String product) throws Exception {
        DataSource source = TestServers.source(product);
        DSLContext sql = DSL.using(source, product.equals("MySQL") ? SQLDialect.MYSQL : SQLDialect.MARIADB);
        try (Connection connection = source.getConnection()) {
            Sql.execute(connection, "DROP TABLE IF EXISTS jooq_orders");
            Sql.execute(connection, "CREATE TABLE jooq_orders (id INT PRIMARY KEY, payload BLOB)");
            sql.insertInto(ORDERS, ID, PAYLOAD).values(1, BYTES).execute();
            for (var select : selects().entrySet()) {
                byte[] result = sql.fetchSingle(select.getKey()).value1();
                assertThat(Arrays.equals(result, BYTES))
                        .as(select.getKey().toString())
                        .isEqualTo(select.getValue());
                assertThat(StoredForm.of(result).kind() == StoredForm.Kind.STORED)
                        .as(select.getKey().toString())
                        .isEqualTo(!select.getValue());
            }
            Sql.execute(connection, "DROP TABLE jooq_orders");
        }
    }

    private static boolean isEncoded(DSLContext sql) {
        byte[] stored = sql.select(DSL.field("payload", byte[].class))
                .from(ORDERS)
                .fetchSingle()
                .value1();
        return StoredForm.of(stored).kind() == StoredForm.Kind.STORED;
    }
}
