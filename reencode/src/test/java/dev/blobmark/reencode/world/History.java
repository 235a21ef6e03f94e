package dev.blobmark.reencode.world;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Statements of some sessions one after the other, as the model executes them: which wait, and which go on when another
 * one has given something back. To be compared with a server.
 */
final class History {

    /** The last one only ends what others have left. */
    static final int SESSIONS = 4;

    /** What a statement reads that the server has chosen to end a deadlock. */
    static final String DEADLOCK = "deadlock";

    private static final int ROWS = 4;

    /** What a session does. */
    enum Kind {
        BEGIN,
        XA_BEGIN,
        UPDATE,
        DELETE,
        INSERT,
        READ,
        READ_LOCKED,
        COMMIT,
        ROLLBACK,
        XA_PREPARE,
        XA_COMMIT,
        XA_ROLLBACK,
        DISCONNECT,
        LOCK_READ,
        LOCK_WRITE,
        UNLOCK,
        RENAME
    }

    /**
     * A statement.
     *
     * @param number its place in the history
     * @param id of a row; the session whose XA transaction is ended; 0 for neither
     */
    record Statement(int number, int session, Kind kind, int id) {

        String note() {
            return "note of " + number;
        }

        @Override
        public String toString() {
            return "session " + session + ": " + kind + (id == 0 ? "" : " " + id);
        }
    }

    /** How far a statement has come, with what it has read. */
    record Answer(boolean isDone, String read) {}

    /** A session and what it is in. */
    private static final class Client {
        private Session session;
        private Optional<Statement> waiting = Optional.empty();
        private boolean isInTransaction;
        private boolean isXa;
        private boolean isLocking;

        /** Whether its transaction has only read. */
        private boolean isReading;

        /** Of the rows that its transaction has asked for. */
        private int highest = 1;
    }

    private final Model model;
    private final Table table;
    private final Chance chance;
    private final List<Client> clients = new ArrayList<>();

    /** Prepared, by the number of the session that has prepared them. */
    private final Map<Integer, Transaction> prepared = new HashMap<>();

    /** By the number of a statement. */
    private final Map<Integer, Answer> answers = new TreeMap<>();

    /** Statements that wait, in the order in which they came. */
    private final List<Statement> queue = new ArrayList<>();

    private int statements;
    private int newest = ROWS;

    History(Model.Product product, long seed) {
        World world = new World(seed, java.util.Set.of(), null);
        model = new Model(world, product, true, true);
        table = model.make(Model.TABLE, "", "");
        for (int id = 1; id <= ROWS; id++) {
            table.rows.put(id, new Content(null, "begin", null));
        }
        chance = new Chance(seed, 0);
        for (int i = 0; i < SESSIONS; i++) {
            Client client = new Client();
            client.session = model.connect("session " + i, null);
            clients.add(client);
        }
    }

    /** What became of a statement until now. */
    Answer answer(int number) {
        return answers.getOrDefault(number, new Answer(false, ""));
    }

    Map<Integer, String> rows() {
        Map<Integer, String> rows = new TreeMap<>();
        table.rows.forEach((id, row) -> rows.put(id, ((Content) row).note()));
        return rows;
    }

    /** The next statement, which is executed or waits; empty if none is possible. */
    Optional<Statement> next() {
        for (int attempt = 0; attempt < 50; attempt++) {
            int number = chance.below(SESSIONS - 1);
            Optional<Statement> drawn = drawn(number, clients.get(number));
            if (drawn.isPresent()) {
                execute(drawn.get());
                return drawn;
            }
        }
        return Optional.empty();
    }

    /** Ends what is open, one thing at a time; empty if nothing is. */
    Optional<Statement> nextEnd() {
        for (int i = 0; i < SESSIONS; i++) {
            Client client = clients.get(i);
            if (client.waiting.isEmpty() && (client.isInTransaction || client.isLocking)) {
                Kind kind = client.isLocking
                        ? Kind.UNLOCK
                        : prepared.containsKey(i) && client.isXa
                                ? Kind.XA_ROLLBACK
                                : client.isXa ? Kind.DISCONNECT : Kind.ROLLBACK;
                Statement end = statement(i, kind, kind == Kind.XA_ROLLBACK ? i + 1 : 0);
                execute(end);
                return Optional.of(end);
            }
        }
        for (int i = 0; i < SESSIONS; i++) {
            if (clients.get(i).waiting.isEmpty()) {
                for (int of : List.copyOf(prepared.keySet())) {
                    if (prepared.get(of).isDetached) {
                        Statement end = statement(i, Kind.XA_ROLLBACK, of + 1);
                        execute(end);
                        return Optional.of(end);
                    }
                }
            }
        }
        return Optional.empty();
    }

    private Statement statement(int session, Kind kind, int id) {
        return new Statement(statements++, session, kind, id);
    }

    private Optional<Statement> drawn(int number, Client client) {
        if (client.waiting.isPresent()) {
            return Optional.empty();
        }
        Kind kind = Kind.values()[chance.below(Kind.values().length)];
        boolean isPrepared = prepared.containsKey(number) && client.isXa;
        boolean isWriting = client.isInTransaction && !isPrepared;
        boolean isFree = !client.isInTransaction && !client.isLocking;
        // it is committed first; who then comes first of those that wait is not certain
        boolean isAloneInTransaction = isWriting && !client.isXa && queue.isEmpty();
        boolean isPossible = switch (kind) {
            case BEGIN, READ_LOCKED -> isFree;
            case RENAME -> isFree && !model.isVictim(client.session, table, Table.Use.ALTER);
            case XA_BEGIN -> isFree && !prepared.containsKey(number);
            case UPDATE, DELETE, INSERT -> isWriting && !client.isReading;
            case READ -> isWriting && !client.isXa && client.session.transaction.writes.isEmpty();
            case COMMIT, ROLLBACK -> isWriting && !client.isXa;
            case XA_PREPARE -> isWriting && client.isXa && !client.session.transaction.writes.isEmpty();
            case XA_COMMIT, XA_ROLLBACK -> isPrepared || isFree && detached().isPresent();
            case DISCONNECT -> chance.in1000(300);
            case LOCK_READ -> isFree || isAloneInTransaction;
            case LOCK_WRITE ->
                (isFree || isAloneInTransaction) && !model.isVictim(client.session, table, Table.Use.LOCK_WRITE);
            case UNLOCK -> client.isLocking;
        };
        if (!isPossible) {
            return Optional.empty();
        }
        int id = switch (kind) {
            case READ_LOCKED -> 1 + chance.below(newest);
            case UPDATE, DELETE -> client.highest + chance.below(newest + 1 - client.highest); // no deadlock of rows
            case INSERT -> ++newest;
            case XA_COMMIT, XA_ROLLBACK -> 1 + (isPrepared ? number : detached().orElseThrow());
            default -> 0;
        };
        boolean isSecondWaiter =
                id > 0 && queue.stream().anyMatch(each -> each.id() == id && each.kind() != Kind.XA_COMMIT);
        return isSecondWaiter ? Optional.empty() : Optional.of(statement(number, kind, id));
    }

    private Optional<Integer> detached() {
        return prepared.entrySet().stream()
                .filter(each -> each.getValue().isDetached)
                .map(Map.Entry::getKey)
                .findFirst();
    }

    private void execute(Statement statement) {
        Client client = clients.get(statement.session());
        boolean isCommitting = statement.kind() == Kind.LOCK_READ
                || statement.kind() == Kind.LOCK_WRITE
                || statement.kind() == Kind.RENAME;
        if (isCommitting) { // implicitly, before anything is waited for
            end(client, true);
            settle(); // others get it before it asks
            if (model.isVictim(client.session, table, use(statement))) {
                answers.put(statement.number(), new Answer(true, DEADLOCK));
                return;
            }
            table.await(client.session, use(statement));
        }
        switch (statement.kind()) {
            case BEGIN, XA_BEGIN -> {
                client.isReading = false;
                client.highest = 1;
            }
            case READ -> client.isReading = true;
            case UPDATE, DELETE, INSERT -> client.highest = statement.id();
            default -> {}
        }
        client.waiting = Optional.of(statement);
        queue.add(statement);
        settle();
    }

    private static Table.Use use(Statement statement) {
        return switch (statement.kind()) {
            case LOCK_READ -> Table.Use.LOCK_READ;
            case LOCK_WRITE -> Table.Use.LOCK_WRITE;
            case RENAME -> Table.Use.ALTER;
            case UPDATE, DELETE, INSERT -> Table.Use.WRITE;
            default -> Table.Use.READ;
        };
    }

    /** Whether the definition may be used; otherwise it waits in its turn. */
    private boolean uses(Statement statement, Session session) {
        Table.Use use = use(statement);
        if (!model.isGranted(session, table, use)) {
            if (table.waiting.stream().noneMatch(each -> each.session() == session)) {
                table.await(session, use);
            }
            return false;
        }
        table.leave(session);
        if (use == Table.Use.READ || use == Table.Use.WRITE) {
            model.uses(session, table, use == Table.Use.WRITE);
        }
        return true;
    }

    /** It has read the table, and somebody who waits for its end keeps it from writing. */
    private boolean isDeadlock(Statement statement, Session session) {
        return use(statement) == Table.Use.WRITE
                && session.transaction != null
                && table.users.get(session.transaction) == Table.Use.READ
                && !model.isGranted(session, table, Table.Use.WRITE)
                && table.waiting.stream()
                        .anyMatch(each -> each.session() != session
                                && (each.use() == Table.Use.LOCK_WRITE || each.use() == Table.Use.ALTER));
    }

    /** Executes all that need not wait. */
    private void settle() {
        for (boolean isChanged = true; isChanged; ) {
            isChanged = false;
            for (Statement each : List.copyOf(queue)) {
                Optional<String> read = tried(each, clients.get(each.session()));
                if (read.isPresent()) {
                    queue.remove(each);
                    clients.get(each.session()).waiting = Optional.empty();
                    answers.put(each.number(), new Answer(true, read.get()));
                    isChanged = true;
                    break;
                }
            }
        }
    }

    private void end(Client client, boolean isCommitted) {
        Transaction transaction = client.session.transaction;
        client.isInTransaction = false;
        client.isXa = false;
        if (transaction != null && isCommitted) {
            model.log(transaction);
            model.show(transaction);
        } else if (transaction != null) {
            model.rollBack(transaction);
        }
    }

    /** What it reads; empty if it has to wait. */
    private Optional<String> tried(Statement statement, Client client) {
        Session session = client.session;
        switch (statement.kind()) {
            case BEGIN, XA_BEGIN -> {
                client.isInTransaction = true;
                client.isXa = statement.kind() == Kind.XA_BEGIN;
                model.begin(session);
            }
            case UPDATE, DELETE, INSERT -> {
                if (isDeadlock(statement, session)) {
                    end(client, false);
                    return Optional.of(DEADLOCK);
                }
                if (!uses(statement, session) || !Model.isFree(table, statement.id(), session.transaction)) {
                    return Optional.empty();
                }
                boolean isThere = session.transaction.row(table, statement.id()) != null;
                if (statement.kind() == Kind.INSERT || isThere) {
                    model.write(
                            session.transaction,
                            table,
                            statement.id(),
                            statement.kind() == Kind.DELETE ? null : new Content(null, statement.note(), null));
                }
            }
            case READ -> {
                if (!uses(statement, session)) {
                    return Optional.empty();
                }
                return Optional.of(text(session.transaction.rows(table)));
            }
            case READ_LOCKED -> {
                if (!uses(statement, session) || !Model.isFree(table, statement.id(), null)) {
                    return Optional.empty();
                }
                Object row = table.rows.get(statement.id());
                model.rollBack(session.transaction);
                return Optional.of(row == null ? "" : ((Content) row).note());
            }
            case COMMIT -> end(client, true);
            case ROLLBACK -> end(client, false);
            case XA_PREPARE -> {
                prepared.put(statement.session(), session.transaction);
                model.prepare(session.transaction);
            }
            case XA_COMMIT, XA_ROLLBACK -> {
                Transaction transaction = prepared.remove(statement.id() - 1);
                if (transaction.session == session) {
                    client.isInTransaction = false;
                    client.isXa = false;
                }
                model.endPrepared(transaction, statement.kind() == Kind.XA_COMMIT);
                if (statement.kind() == Kind.XA_COMMIT) {
                    model.show(transaction);
                }
            }
            case DISCONNECT -> {
                model.kill(session);
                client.session = model.connect("session " + statement.session(), null);
                client.isInTransaction = false;
                client.isXa = false;
                client.isLocking = false;
            }
            case LOCK_READ, LOCK_WRITE -> {
                if (!uses(statement, session)) {
                    return Optional.empty();
                }
                table.lockers.put(session, use(statement));
                session.locked.add(table);
                client.isLocking = true;
            }
            case UNLOCK -> {
                model.unlock(session);
                client.isLocking = false;
            }
            case RENAME -> {
                if (!uses(statement, session)) {
                    return Optional.empty();
                }
            }
        }
        return Optional.of("");
    }

    private static String text(Map<Integer, Object> rows) {
        StringBuilder text = new StringBuilder();
        rows.forEach((id, row) ->
                text.append(id).append(' ').append(((Content) row).note()).append(", "));
        return text.toString();
    }
}
