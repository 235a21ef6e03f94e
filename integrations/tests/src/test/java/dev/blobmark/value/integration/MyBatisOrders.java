package dev.blobmark.value.integration;

import dev.blobmark.value.mybatis.ValueTypeHandler;
import javax.sql.DataSource;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Result;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;

/** MyBatis with a type handler. */
final class MyBatisOrders implements Orders {

    private static final String HANDLER = "dev.blobmark.value.integration.MyBatisOrders$PayloadHandler";

    /** As it is in the documentation. */
    public static class PayloadHandler extends ValueTypeHandler {
        public PayloadHandler() {
            super(Formats.PAYLOAD);
        }
    }

    /** A row. */
    public static class Order {
        byte[] payload;
    }

    /** Statements. */
    public interface Mapper {
        @Insert("INSERT INTO orders VALUES (#{id}, #{payload,jdbcType=BLOB,typeHandler=" + HANDLER + "})")
        void insert(@Param("id") int id, @Param("payload") byte[] payload);

        @Select("SELECT payload FROM orders WHERE id = #{id}")
        @Result(property = "payload", column = "payload", typeHandler = PayloadHandler.class)
        Order find(int id);
    }

    private final SqlSessionFactory sessions;

    MyBatisOrders(DataSource source) {
        Configuration configuration = new Configuration(new Environment("test", new JdbcTransactionFactory(), source));
        configuration.addMapper(Mapper.class);
        sessions = new SqlSessionFactoryBuilder().build(configuration);
    }

    @Override
    public void insert(int id, byte[] payload) {
        try (SqlSession session = sessions.openSession(true)) {
            session.getMapper(Mapper.class).insert(id, payload);
        }
    }

    @Override
    public byte[] payload(int id) {
        try (SqlSession session = sessions.openSession(true)) {
            Order order = session.getMapper(Mapper.class).find(id);
            return order == null ? null : order.payload; // a row of NULLs is no object
        }
    }
}
