package dev.blobmark.bench.reencode.witness;

import dev.blobmark.mysql.client.Sql;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Writes rows, each in a transaction of its own: with unique tokens, so that a content shows which write it is from.
 * The transaction first reads the row. The type of the column shows whether the table is the former one or the new one,
 * and the table stays the same until the commit. Confined to one thread.
 */
final class Writer implements AutoCloseable {

    private static final int DUPLICATE_KEY = 1062;
    private static final int WAITED_TOO_LONG = 1205;
    private static final int DEADLOCK = 1213;
    private static final double NULLS = 0.05;
    private static final int MOST_PADDING = 400;

    /** What is done to a row. A write that the row does not allow has no effect. */
    enum Kind {
        INSERT,
        UPDATE,
        DELETE,
        /** Writes another content, and then the bytes that were there. */
        THERE_AND_BACK
    }

    /** Something to do before the commit, while the row is locked. */
    interface Last {
        void run() throws SQLException, InterruptedException;
    }

    private final Connection connection;
    private final String table;
    private final String name;
    private final boolean isLogged;
    private final SplittableRandom random;
    private final Consumer<String> wrong;
    private int count;
    private volatile boolean isLater;

    /**
     * @param name begins its tokens
     * @param wrong receives what is read and is not right
     */
    Writer(
            Connection connection,
            String table,
            String name,
            boolean isLogged,
            SplittableRandom random,
            Consumer<String> wrong)
            throws SQLException {
        this.connection = connection;
        this.table = table;
        this.name = name;
        this.isLogged = isLogged;
        this.random = random;
        this.wrong = wrong;
        Sql.execute(connection, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
        if (!isLogged) {
            Sql.execute(connection, "SET SESSION sql_log_bin = 0");
        }
        connection.setAutoCommit(false);
    }

    /** A row as it is stored. */
    private record Seen(Optional<Content> content, byte[] stored, boolean isLater) {}

    /** Whether the table was the new one when it wrote last. Any thread may ask. */
    boolean isLater() {
        return isLater;
    }

    /** The content of a row at first. */
    static Content initial(int key, SplittableRandom random) {
        return content("i:" + key, random);
    }

    private static Content content(String token, SplittableRandom random) {
        String text = "{\"token\":\"" + token + "\",\"text\":\"" + "abc ".repeat(random.nextInt(MOST_PADDING / 4))
                + random.nextInt(1_000_000) + "\"}";
        return new Content(random.nextDouble() < NULLS ? Optional.empty() : Optional.of(text), token);
    }

    /**
     * Writes a row, if nobody else has just locked it and the server does not refuse it for now.
     *
     * @return whether it was changed
     */
    boolean write(int key, History history, Kind kind) throws SQLException, InterruptedException {
        return write(key, history, kind, () -> {});
    }

    boolean write(int key, History history, Kind kind, Last last) throws SQLException, InterruptedException {
        if (!history.lock.tryLock()) {
            return false;
        }
        try {
            return kind == Kind.THERE_AND_BACK
                    ? thereAndBack(key, history, last)
                    : once(key, history, kind, last).isPresent();
        } catch (SQLException e) {
            connection.rollback();
            if (Set.of(DUPLICATE_KEY, WAITED_TOO_LONG, DEADLOCK).contains(e.getErrorCode())) {
                return false;
            }
            throw e;
        } finally {
            history.lock.unlock();
        }
    }

    /** What the row was before; empty if the write had no effect. */
    private Optional<Seen> once(int key, History history, Kind kind, Last last)
            throws SQLException, InterruptedException {
        Seen seen = read(key, history, kind != Kind.INSERT);
        Content content = content(name + ":" + count++, random);
        int changed = execute(kind, key, content.payload().map(text -> text.getBytes(StandardCharsets.UTF_8)), content);
        last.run();
        connection.commit();
        if (changed == 0) {
            return Optional.empty();
        }
        history.add(
                seen.content(),
                kind == Kind.DELETE ? Optional.empty() : Optional.of(content),
                isLogged,
                seen.isLater());
        return Optional.of(seen);
    }

    private boolean thereAndBack(int key, History history, Last last) throws SQLException, InterruptedException {
        Optional<Seen> before = once(key, history, Kind.UPDATE, last);
        if (before.isEmpty()) {
            return false;
        }
        Seen now = read(key, history, true);
        Content back = before.get().content().orElseThrow();
        execute(Kind.UPDATE, key, Optional.ofNullable(before.get().stored()), back);
        connection.commit();
        history.add(now.content(), Optional.of(back), isLogged, now.isLater());
        return true;
    }

    private int execute(Kind kind, int key, Optional<byte[]> stored, Content content) throws SQLException {
        String payload = stored.map(bytes -> "X'" + HexFormat.of().formatHex(bytes) + "'")
                .orElse("NULL");
        String sql = switch (kind) {
            case INSERT ->
                "INSERT INTO " + table + " (id, note, payload) VALUES (" + key + ", '" + content.note() + "', "
                        + payload + ")";
            case DELETE -> "DELETE FROM " + table + " WHERE id = " + key;
            default ->
                "UPDATE " + table + " SET payload = " + payload + ", note = '" + content.note() + "' WHERE id = " + key;
        };
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    private Seen read(int key, History history, boolean isLocking) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT payload, note FROM " + table + " WHERE id = " + key
                        + (isLocking ? " FOR UPDATE" : ""))) {
            isLater = isOfBytes(row.getMetaData());
            byte[] stored = null;
            Optional<Content> content = Optional.empty();
            if (row.next()) {
                stored = row.getBytes(1);
                content = Optional.of(Content.of(stored, row.getString(2)));
            }
            if (!history.isRight(content, isLater)) {
                wrong.accept(name + " read " + content + " of row " + key + (isLater ? " after" : " before")
                        + " the exchange; written: " + history);
            }
            return new Seen(content, stored, isLater);
        }
    }

    private static boolean isOfBytes(ResultSetMetaData columns) throws SQLException {
        return switch (columns.getColumnType(1)) {
            case Types.BLOB, Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY -> true;
            default -> false;
        };
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
