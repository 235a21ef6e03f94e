package dev.blobmark.reencode.binlog;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Types of events that are known by name, from {@code mysql/binlog/event/binlog_event.h} of MySQL 9.7 and
 * {@code sql/log_event.h} of MariaDB 12.3. What is not listed is not understood.
 */
enum EventType {
    QUERY(2, Role.QUERY),
    STOP(3, Role.HARMLESS),
    ROTATE(4, Role.ROTATE),
    INTVAR(5, Role.HARMLESS), // of the statement that follows, as RAND and USER_VAR
    LOAD(6, Role.STATEMENT),
    CREATE_FILE(8, Role.STATEMENT),
    APPEND_BLOCK(9, Role.STATEMENT),
    EXEC_LOAD(10, Role.STATEMENT),
    DELETE_FILE(11, Role.STATEMENT),
    NEW_LOAD(12, Role.STATEMENT),
    RAND(13, Role.HARMLESS),
    USER_VAR(14, Role.HARMLESS),
    FORMAT_DESCRIPTION(15, Role.FORMAT),
    XID(16, Role.COMMIT),
    BEGIN_LOAD_QUERY(17, Role.STATEMENT),
    EXECUTE_LOAD_QUERY(18, Role.STATEMENT),
    TABLE_MAP(19, Role.TABLE_MAP),
    WRITE_ROWS_V1(23, Role.INSERT),
    UPDATE_ROWS_V1(24, Role.UPDATE),
    DELETE_ROWS_V1(25, Role.DELETE),
    INCIDENT(26, Role.REFUSED),
    HEARTBEAT(27, Role.HEARTBEAT),
    IGNORABLE(28, Role.HARMLESS), // has a text at most
    ROWS_QUERY(29, Role.HARMLESS), // the text of a statement whose rows follow
    WRITE_ROWS(30, Role.INSERT),
    UPDATE_ROWS(31, Role.UPDATE),
    DELETE_ROWS(32, Role.DELETE),
    GTID(33, Role.HARMLESS),
    ANONYMOUS_GTID(34, Role.HARMLESS),
    PREVIOUS_GTIDS(35, Role.HARMLESS),
    TRANSACTION_CONTEXT(36, Role.HARMLESS), // of group replication: what a transaction conflicts with
    VIEW_CHANGE(37, Role.HARMLESS), // of group replication: members
    XA_PREPARE(38, Role.COMMIT),
    PARTIAL_UPDATE_ROWS(39, Role.PARTIAL_UPDATE),
    TRANSACTION_PAYLOAD(40, Role.PAYLOAD),
    HEARTBEAT_V2(41, Role.HEARTBEAT),
    GTID_TAGGED(42, Role.HARMLESS),
    ANNOTATE_ROWS(160, Role.HARMLESS), // as ROWS_QUERY
    BINLOG_CHECKPOINT(161, Role.HARMLESS),
    MARIADB_GTID(162, Role.HARMLESS),
    GTID_LIST(163, Role.HARMLESS),
    START_ENCRYPTION(164, Role.HARMLESS), // the server sends events that are decrypted
    QUERY_COMPRESSED(165, Role.QUERY_COMPRESSED),
    WRITE_ROWS_COMPRESSED_V1(166, Role.INSERT_COMPRESSED),
    UPDATE_ROWS_COMPRESSED_V1(167, Role.UPDATE_COMPRESSED),
    DELETE_ROWS_COMPRESSED_V1(168, Role.DELETE_COMPRESSED),
    WRITE_ROWS_COMPRESSED(169, Role.INSERT_COMPRESSED),
    UPDATE_ROWS_COMPRESSED(170, Role.UPDATE_COMPRESSED),
    DELETE_ROWS_COMPRESSED(171, Role.DELETE_COMPRESSED),
    PARTIAL_ROW_DATA(172, Role.REFUSED); // a part of rows that are longer than an event (MariaDB 12.3)

    /** What an event is to a reader of one table's changes. */
    enum Role {
        HARMLESS,
        FORMAT,
        ROTATE,
        HEARTBEAT,
        TABLE_MAP,
        INSERT,
        UPDATE,
        PARTIAL_UPDATE,
        DELETE,
        INSERT_COMPRESSED,
        UPDATE_COMPRESSED,
        DELETE_COMPRESSED,
        /** A statement, a change of a definition, or the begin or end of a transaction. */
        QUERY,
        QUERY_COMPRESSED,
        /** The end of a transaction. */
        COMMIT,
        /** A compressed transaction. */
        PAYLOAD,
        /** Part of a statement that is logged instead of rows. */
        STATEMENT,
        /** Known, and it means that something is missing or cannot be read. */
        REFUSED
    }

    private static final Map<Integer, EventType> BY_CODE = new HashMap<>();

    static {
        for (EventType type : values()) {
            BY_CODE.put(type.code, type);
        }
    }

    private final int code;
    private final Role role;

    EventType(int code, Role role) {
        this.code = code;
        this.role = role;
    }

    int code() {
        return code;
    }

    Role role() {
        return role;
    }

    /** Whether rows of tables follow its table id. */
    boolean hasRows() {
        return switch (role) {
            case INSERT, UPDATE, PARTIAL_UPDATE, DELETE, INSERT_COMPRESSED, UPDATE_COMPRESSED, DELETE_COMPRESSED ->
                true;
            default -> false;
        };
    }

    /** Whether its post-header has a length for extra data after the flags. */
    boolean hasExtraData() {
        return switch (this) {
            case WRITE_ROWS,
                    UPDATE_ROWS,
                    DELETE_ROWS,
                    PARTIAL_UPDATE_ROWS,
                    WRITE_ROWS_COMPRESSED,
                    UPDATE_ROWS_COMPRESSED,
                    DELETE_ROWS_COMPRESSED -> true;
            default -> false;
        };
    }

    static Optional<EventType> of(int code) {
        return Optional.ofNullable(BY_CODE.get(code));
    }
}
