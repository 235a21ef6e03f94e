package dev.blobmark.reencode.world;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What everybody else does: applications, a DBA, the operating system, the network. */
final class Others {

    /** What a seed may have besides applications that write rows and commit. */
    enum Habit {
        XA,
        UNLOGGED,
        STATEMENTS,
        MINIMAL_IMAGES,
        TRUNCATE,
        ALTER,
        ALTER_AT_ONCE,
        ANOTHER_TOOL,
        DROP_TRIGGERS,
        TABLE_IN_THE_WAY,
        DROP_FRESH,
        LOG_SETTINGS,
        RESET_LOG,
        PURGE_LOG,
        ROTATE_LOG,
        UNKNOWN_EVENT,
        KILL_SESSIONS,
        KILL_PROCESS,
        CRASH,
        TAKE_OVER,
        SLOW_LOG,
        SLOW_COMMIT,
        READ_FRESH;

        /** Whether a copy may end because of it. */
        boolean mayEnd() {
            return switch (this) {
                case UNLOGGED,
                        STATEMENTS,
                        TRUNCATE,
                        ALTER,
                        ALTER_AT_ONCE,
                        ANOTHER_TOOL,
                        DROP_TRIGGERS,
                        TABLE_IN_THE_WAY,
                        DROP_FRESH,
                        LOG_SETTINGS,
                        RESET_LOG,
                        PURGE_LOG,
                        UNKNOWN_EVENT -> true;
                default -> false;
            };
        }
    }

    private static final int MOST_KEYS = 14;
    private static final int MOST_BLOCKED = 25;

    /** How many habits a seed has: few, so that each has its effect. */
    private static final int[] SWARM = {0, 1, 1, 1, 1, 2, 2, 2, 3, 3};

    /** A habit begins at such a moment at the latest; a copy takes some hundred. */
    private static final int LATEST = 400;

    private static final int MOST_SLOW = 500;

    private static final int MOST_ALTERING = 60;

    private static final long WINDOW = 150;

    /** What is found only if it comes often. */
    private static final Habit[] OFTEN = {
        Habit.XA,
        Habit.XA,
        Habit.SLOW_LOG,
        Habit.SLOW_COMMIT,
        Habit.SLOW_COMMIT,
        Habit.UNLOGGED,
        Habit.UNLOGGED,
        Habit.RESET_LOG,
        Habit.RESET_LOG,
        Habit.TRUNCATE,
        Habit.DROP_TRIGGERS
    };

    /** So often something rare is done. */
    private static final int MOST_RARE = 3;

    private final World world;
    private final Model model;
    private final List<Application> applications = new ArrayList<>();

    /** What the DBA waits for with a change of the definition; null for nothing. */
    private Habit altering;

    private Session alteringSession;
    private int alteringLeft;

    /** Sessions that read the new table. */
    private final List<Session> open = new ArrayList<>();

    /** Those of the seed, and from which moment on; −1 and −2 for the phases of {@link World#phase}. */
    final Map<Habit, Integer> habits = new EnumMap<>(Habit.class);

    /** How often each was followed. */
    final Map<Habit, Integer> followed = new EnumMap<>(Habit.class);

    /** Values are told apart by numbers. */
    private int values;

    private static final class Application {
        private final String name;
        private Session session;
        private int left;
        private int blocked;
        private boolean isXa;

        Application(String name) {
            this.name = name;
        }
    }

    Others(World world, Chance chance) {
        this.world = world;
        model = world.model;
        int count = 1 + chance.below(4);
        for (int i = 1; i <= count; i++) {
            applications.add(new Application("application " + i));
        }
        int most = SWARM[chance.below(SWARM.length)];
        for (int i = 0; i < most; i++) {
            Habit habit = OFTEN[chance.below(OFTEN.length)];
            if (chance.in1000(400)) {
                habit = Habit.values()[chance.below(Habit.values().length)];
            }
            int begin = chance.below(100);
            habits.put(habit, begin < 40 ? -1 - begin % 2 : begin < 70 ? 0 : chance.below(LATEST));
        }
    }

    private boolean hasBegun(Habit habit) {
        int begin = habits.get(habit);
        return begin < 0 ? world.phase() >= -begin : world.moment() >= begin;
    }

    /** Slow for a while, and then not. */
    private boolean isSlow(Habit habit, Chance chance) {
        boolean isNow = habits.containsKey(habit)
                && (habits.get(habit) < 0
                        ? hasBegun(habit) && world.momentsOfPhase() < MOST_SLOW
                        : world.isIn(habit.ordinal(), WINDOW));
        boolean isSlow = isNow && !world.isQuiet() && !chance.in1000(30);
        if (isSlow) {
            followed.merge(habit, 1, Integer::sum);
        }
        return isSlow;
    }

    private boolean follows(Habit habit, Chance chance, int share) {
        boolean isFollowed = habits.containsKey(habit) && hasBegun(habit) && chance.in1000(share);
        if (isFollowed) {
            followed.merge(habit, 1, Integer::sum);
        }
        return isFollowed;
    }

    /** Fills the table before anything begins. */
    void fill(Table table, Chance chance) {
        for (int id = 1; id <= MOST_KEYS; id++) {
            if (chance.in1000(600)) {
                Content content = new Content(chance.in1000(500) ? id : null, "note " + id, value());
                table.rows.put(id, content);
                Transaction transaction = new Transaction(new Session("filling", null));
                transaction.acknowledged.add(new Auditor.Change(null, id, before -> content));
                world.auditor.committed(transaction);
            }
        }
    }

    private byte[] value() {
        return ("value " + ++values).getBytes(StandardCharsets.ISO_8859_1);
    }

    /** One thing, or nothing. */
    void act(Chance chance, Process process) {
        if (altering != null) {
            alter(chance, process);
        }
        int what = chance.below(100);
        if (what < 45) {
            step(applications.get(chance.below(applications.size())), chance);
        } else if (what < 65) {
            List<Transaction> ready = model.ready();
            if (!ready.isEmpty() && !isSlow(Habit.SLOW_COMMIT, chance)) {
                Transaction shown = ready.get(chance.below(ready.size()));
                model.show(shown);
                world.told("what " + shown.name + " has committed becomes visible");
            }
        } else if (what < 90) {
            if (!isSlow(Habit.SLOW_LOG, chance)) {
                world.read(process, 1 + chance.below(6));
            }
        } else if (what < 93) {
            model.grant();
            if (!open.isEmpty() && chance.in1000(300)) {
                model.kill(open.remove(0));
            }
        } else if (!model.prepared.isEmpty() && chance.in1000(800) && !isSlow(Habit.XA, chance)) {
            Transaction transaction = model.prepared.get(chance.below(model.prepared.size()));
            if (transaction.stage == Transaction.Stage.PREPARED) {
                boolean isCommitted = chance.in1000(700);
                world.note((isCommitted ? "XA COMMIT" : "XA ROLLBACK") + " of " + transaction.name);
                model.endPrepared(transaction, isCommitted);
            }
        } else if (!habits.isEmpty() && chance.in1000(600)) {
            Habit habit = new ArrayList<>(habits.keySet()).get(chance.below(habits.size()));
            if (hasBegun(habit) && followed.getOrDefault(habit, 0) < MOST_RARE) {
                rarely(habit, chance, process, false);
            }
        }
    }

    /** Waits for a while until nobody uses the table. */
    private void alter(Chance chance, Process process) {
        Table table = model.tables.get(Model.TABLE);
        boolean isAlone = table != null && model.isGranted(alteringSession, table, Table.Use.ALTER);
        if (isAlone || ++alteringLeft > MOST_ALTERING) {
            model.kill(alteringSession);
            Habit habit = altering;
            altering = null;
            alteringLeft = 0;
            if (isAlone) {
                rarely(habit, chance, process, true);
            }
        }
    }

    private void step(Application application, Chance chance) {
        if (application.session == null || application.session.isDead) {
            if (world.isQuiet()) {
                return;
            }
            application.session = model.connect(application.name, null);
            application.left = 0;
        }
        Session session = application.session;
        if (session.transaction != null && session.transaction.stage != Transaction.Stage.OPEN) {
            return; // it waits for its commit, or is prepared
        }
        if (session.transaction == null) {
            if (!world.isQuiet()) {
                begin(application, chance);
            }
        } else if (application.left > 0) {
            boolean isDone = change(session, chance);
            application.left -= isDone ? 1 : 0;
            application.blocked = isDone ? 0 : application.blocked + 1;
            if (application.blocked > MOST_BLOCKED) {
                world.note(application.name + ": ROLLBACK");
                model.rollBack(session.transaction);
            }
        } else {
            end(application, chance);
        }
    }

    private void begin(Application application, Chance chance) {
        Transaction transaction = model.begin(application.session);
        application.left = 1 + chance.below(4);
        application.blocked = 0;
        application.isXa = follows(Habit.XA, chance, 400);
        transaction.isUnlogged = follows(Habit.UNLOGGED, chance, 500);
        transaction.isStatement = follows(Habit.STATEMENTS, chance, 300);
        transaction.isUnknown = follows(Habit.UNKNOWN_EVENT, chance, 300);
        transaction.isMinimal = follows(Habit.MINIMAL_IMAGES, chance, 500);
    }

    private void end(Application application, Chance chance) {
        Transaction transaction = application.session.transaction;
        if (application.isXa) {
            world.note(application.name + ": XA PREPARE");
            model.prepare(transaction);
            if (chance.in1000(700)) {
                world.note(application.name + " disconnects");
                model.kill(application.session);
            }
        } else if (chance.in1000(800)) {
            world.note(application.name + ": COMMIT"
                    + (transaction.isUnlogged && model.hasLog ? ", which is not logged" : ""));
            model.log(transaction);
        } else {
            world.note(application.name + ": ROLLBACK");
            model.rollBack(transaction);
        }
    }

    /** A statement; false if it has to wait. */
    private boolean change(Session session, Chance chance) {
        Table table = model.tables.get(Model.TABLE);
        if (table == null || !model.uses(session, table, true)) {
            return false;
        }
        Transaction transaction = session.transaction;
        int id = 1 + chance.below(MOST_KEYS);
        int other = 1 + chance.below(MOST_KEYS);
        int kind = transaction.isUnlogged ? world.kindOfUnlogged() : chance.below(100);
        if (kind >= 55
                && kind < 75
                && chance.in1000(250)
                && !transaction.rows(table).isEmpty()) {
            id = transaction.rows(table).lastKey(); // the last rows are deleted more often
        }
        if (!Model.isFree(table, id, transaction) || !Model.isFree(table, other, transaction)) {
            return false;
        }
        Content row = (Content) transaction.row(table, id);
        if (row == null && transaction.isUnlogged && kind >= 40 && kind < 75) {
            return true;
        }
        if (row == null) {
            Integer unique = chance.in1000(500) ? 1 + chance.below(MOST_KEYS) : null;
            if (mayHave(table, transaction, unique, id)) {
                Content inserted = new Content(unique, "note " + id, value());
                write(transaction, table, null, id, inserted, before -> inserted, "INSERT");
            }
        } else if (kind < 40) {
            byte[] payload = chance.in1000(100) ? null : value();
            write(
                    transaction,
                    table,
                    id,
                    id,
                    row.withPayload(payload),
                    before -> before.withPayload(payload),
                    "UPDATE payload");
        } else if (kind < 55) {
            String note = "note " + ++values;
            write(transaction, table, id, id, row.withNote(note), before -> before.withNote(note), "UPDATE note");
        } else if (kind < 75) {
            write(transaction, table, id, null, null, before -> null, "DELETE");
        } else if (kind < 87) {
            if (transaction.row(table, other) == null) {
                write(transaction, table, id, other, row, before -> before, "UPDATE key");
            }
        } else {
            swap(transaction, table, id, other);
        }
        return true;
    }

    /** Two rows exchange the values of a UNIQUE column, by way of NULL. */
    private void swap(Transaction transaction, Table table, int id, int other) {
        Content one = (Content) transaction.row(table, id);
        Content two = (Content) transaction.row(table, other);
        if (id == other || two == null || one.unique() == null) {
            return;
        }
        Integer first = one.unique();
        Integer second = two.unique();
        write(transaction, table, id, id, one.withUnique(null), before -> before.withUnique(null), "UPDATE u");
        write(transaction, table, other, other, two.withUnique(first), before -> before.withUnique(first), "UPDATE u");
        write(transaction, table, id, id, one.withUnique(second), before -> before.withUnique(second), "UPDATE u");
    }

    /** A value that another transaction has or had is waited for; here it is not taken. */
    private static boolean mayHave(Table table, Transaction transaction, Integer unique, int id) {
        if (unique == null) {
            return true;
        }
        Set<Integer> taken = table.rows.values().stream()
                .map(row -> ((Content) row).unique())
                .collect(Collectors.toSet());
        table.locks.values().stream().distinct().forEach(holder -> {
            TreeMap<Integer, Object> seen = holder.rows(table);
            seen.values().forEach(row -> taken.add(((Content) row).unique()));
        });
        return !taken.contains(unique);
    }

    private void write(
            Transaction transaction,
            Table table,
            Integer from,
            Integer to,
            Content row,
            java.util.function.UnaryOperator<Content> change,
            String what) {
        world.note(transaction.name + ": " + what + " of row " + (from == null ? to : from)
                + (from != null && to != null && !from.equals(to) ? " to " + to : "")
                + (row == null || row.payload() == null || !what.contains("payload") && !what.equals("INSERT")
                        ? ""
                        : " = " + new String(row.payload(), StandardCharsets.ISO_8859_1)));
        Content before = from == null ? null : (Content) transaction.row(table, from);
        transaction.changes.add(new Transaction.RowChange(Model.TABLE, from, before, to, row));
        transaction.acknowledged.add(new Auditor.Change(from, to, change));
        if (from != null && !from.equals(to)) {
            model.write(transaction, table, from, null);
        }
        if (to != null) {
            model.write(transaction, table, to, row);
        }
        if (!table.triggers.isEmpty()) {
            Set<Integer> keys = new java.util.LinkedHashSet<>();
            if (from != null) {
                keys.add(from);
            }
            if (to != null) {
                keys.add(to);
            }
            keys.forEach(key -> model.changed(transaction, key));
        }
    }

    /** @param hasWaited whether it is the turn of a change of the definition */
    private void rarely(Habit habit, Chance chance, Process process, boolean hasWaited) {
        if (world.isQuiet() || process == null) {
            return;
        }
        Table table = model.tables.get(Model.TABLE);
        Session dba = model.connect("the DBA", null);
        boolean isAlteration = EnumSet.of(
                        Habit.TRUNCATE, Habit.ALTER, Habit.ALTER_AT_ONCE, Habit.ANOTHER_TOOL, Habit.DROP_TRIGGERS)
                .contains(habit);
        boolean isAlone = table != null && (hasWaited || model.isGranted(dba, table, Table.Use.ALTER));
        if (isAlteration && !isAlone && table != null && altering == null) {
            world.note("the DBA waits for t: " + habit);
            altering = habit; // others wait behind it
            alteringSession = dba;
            table.await(dba, Table.Use.ALTER);
            return;
        }
        switch (habit) {
            case TRUNCATE -> {
                if (isAlone) {
                    does(habit, "the DBA: TRUNCATE TABLE t");
                    replace(table, false, table.definition);
                    world.auditor.truncated();
                    log("TRUNCATE TABLE t", chance);
                }
            }
            case ALTER -> {
                if (isAlone) {
                    does(habit, "the DBA: ALTER TABLE t");
                    replace(table, true, table.definition + " altered");
                    world.auditor.altered(table.definition + " altered");
                    log("ALTER TABLE t ADD COLUMN c INT", chance);
                }
            }
            case ALTER_AT_ONCE -> {
                if (isAlone) {
                    does(habit, "the DBA: ALTER TABLE t ADD COLUMN c INT, ALGORITHM=INSTANT");
                    table.definition += " altered";
                    world.auditor.altered(table.definition);
                }
            }
            case ANOTHER_TOOL -> {
                if (isAlone) {
                    does(habit, "another tool exchanges t");
                    Table kept = table;
                    replace(table, true, table.definition);
                    model.tables.putIfAbsent("t_old_of_another_tool", kept);
                    log("RENAME TABLE t TO t_old_of_another_tool, t_new_of_another_tool TO t", chance);
                }
            }
            case DROP_TRIGGERS -> {
                if (isAlone && !table.triggers.isEmpty()) {
                    does(habit, "the DBA drops a trigger of t");
                    table.triggers = table.triggers.subList(0, table.triggers.size() - 1);
                }
            }
            case TABLE_IN_THE_WAY -> {
                if (!model.tables.containsKey(Model.FORMER)) {
                    does(habit, "the DBA: CREATE TABLE t_blobmark_old");
                    world.foreign = model.make(Model.FORMER, "somebody else's", "");
                }
            }
            case DROP_FRESH -> {
                Table fresh = model.tables.get(Model.FRESH);
                if (fresh != null && model.isGranted(dba, fresh, Table.Use.ALTER)) {
                    does(habit, "the DBA: DROP TABLE t_blobmark_new");
                    model.tables.remove(Model.FRESH);
                }
            }
            case LOG_SETTINGS -> {
                does(habit, "the DBA: SET GLOBAL binlog_format = MIXED");
                model.logProblem = java.util.Optional.of("binlog_format is MIXED");
            }
            case RESET_LOG -> reset(chance);
            case PURGE_LOG -> {
                does(habit, "the DBA: FLUSH and PURGE BINARY LOGS");
                model.rotate();
                model.purge();
            }
            case ROTATE_LOG -> {
                does(habit, "the DBA: FLUSH BINARY LOGS");
                model.rotate();
            }
            case KILL_SESSIONS -> {
                List<Session> all = model.sessions.stream()
                        .sorted(java.util.Comparator.comparing(session -> session.name))
                        .toList();
                Session killed = all.get(chance.below(all.size()));
                does(habit, "the session '" + killed.name + "' is lost");
                model.kill(killed);
            }
            case KILL_PROCESS -> {
                does(habit, process + " is killed");
                process.isKilled = true;
            }
            case CRASH -> {
                does(habit, "the server crashes and begins again");
                model.crash();
            }
            case TAKE_OVER -> {
                followed.merge(habit, 1, Integer::sum);
                world.takeOver(process);
            }
            case READ_FRESH -> {
                Table fresh = model.tables.get(Model.FRESH);
                if (fresh != null && model.uses(dba, fresh, false)) {
                    does(habit, "somebody reads t_blobmark_new in a transaction that stays open");
                    open.add(dba);
                    return;
                }
            }
            case XA, UNLOGGED, STATEMENTS, MINIMAL_IMAGES, UNKNOWN_EVENT, SLOW_LOG, SLOW_COMMIT -> {}
        }
        if (!dba.isDead) {
            model.kill(dba);
        }
    }

    private void does(Habit habit, String what) {
        followed.merge(habit, 1, Integer::sum);
        world.note(what);
    }

    /**
     * RESET BINARY LOGS. The new file may have the name and the length of the former one, with changes in it that
     * nobody has read.
     */
    private void reset(Chance chance) {
        long end = chance.in1000(500) ? world.placeOfState().orElse(model.log.end()) : model.log.end();
        does(Habit.RESET_LOG, "the DBA: RESET BINARY LOGS AND GTIDS");
        model.reset(chance.in1000(900) ? model.log.number() : 1 + chance.below(9));
        for (Application each : applications) {
            Transaction transaction = each.session == null ? null : each.session.transaction;
            if (transaction != null && transaction.stage == Transaction.Stage.OPEN && !each.isXa) {
                world.note(each.name + ": COMMIT");
                model.log(transaction);
            }
        }
        if (chance.in1000(900)) {
            model.log.fill(end);
        }
        if (chance.in1000(400)) {
            world.note("the connection of the reader is lost");
            world.loseReader();
        }
    }

    /** The session may be one whose statements are not logged. */
    private void log(String statement, Chance chance) {
        if (chance.in1000(500)) {
            model.logged(statement);
        }
    }

    /** Another table takes the name. */
    private void replace(Table table, boolean hasRows, String definition) {
        Table made = model.make(Model.TABLE, definition, table.comment);
        made.triggers = table.triggers;
        if (hasRows) {
            made.rows.putAll(table.rows);
        }
    }
}
