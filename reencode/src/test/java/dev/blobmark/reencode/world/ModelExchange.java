package dev.blobmark.reencode.world;

import dev.blobmark.reencode.cutover.TableExchange;
import dev.blobmark.reencode.table.TableLock;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Locks and names of the tables of a copy. */
final class ModelExchange implements TableExchange {

    private static final long RENAME_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final World world;
    private final Process process;
    private final Session locking;
    private final Session other;
    private final Session asking;
    private final List<String> written;

    ModelExchange(World world, Process process, Session locking, Session other, List<String> written) {
        this.world = world;
        this.process = process;
        this.locking = locking;
        this.other = other;
        this.written = written;
        asking = process.asking;
    }

    @Override
    public boolean isByHolder() {
        return world.model.product.isRenamedByHolder;
    }

    @Override
    public boolean isFree() throws SQLException {
        world.call(process, asking, () -> "looks for " + Model.FORMER);
        return !world.model.tables.containsKey(Model.FORMER);
    }

    @Override
    public void lock(boolean withSentry) throws SQLException {
        List<String> names = new ArrayList<>(List.of(Model.TABLE));
        if (withSentry) {
            names.add(Model.FORMER);
        }
        names.addAll(written);
        world.lock(process, locking, names, false);
    }

    @Override
    public void unlock() throws SQLException {
        world.call(process, locking, () -> "UNLOCK TABLES");
        world.model.unlock(locking);
    }

    @Override
    public void rename() throws SQLException {
        world.call(process, locking, () -> "RENAME TABLE t TO t_blobmark_old, t_blobmark_new TO t");
        if (world.model.tables.containsKey(Model.FORMER)) {
            throw new SQLException("Table 't_blobmark_old' already exists", "42S01", 1050);
        }
        world.model.exchange();
        world.answer(process, locking);
    }

    @Override
    public void makeSentry() throws SQLException {
        world.call(process, locking, () -> "CREATE TABLE IF NOT EXISTS t_blobmark_old");
        if (!world.model.tables.containsKey(Model.FORMER)) {
            world.model.make(Model.FORMER, "(id INT PRIMARY KEY)", Model.SENTRY);
        }
    }

    @Override
    public boolean isSentry() throws SQLException {
        world.call(process, asking, () -> "reads the comment of t_blobmark_old");
        return hasSentry();
    }

    private boolean hasSentry() {
        Table table = world.model.tables.get(Model.FORMER);
        return table != null && table.comment.equals(Model.SENTRY);
    }

    @Override
    public boolean isSentryLocked() throws SQLException {
        world.call(process, locking, () -> "reads the comment of t_blobmark_old under the lock");
        return hasSentry();
    }

    @Override
    public void dropSentry() throws SQLException {
        world.call(process, locking, () -> "DROP TABLE t_blobmark_old");
        Table dropped = world.model.tables.remove(Model.FORMER);
        if (dropped == null) {
            throw new SQLException("Unknown table 't_blobmark_old'", "42S02", 1051);
        }
        if (!dropped.comment.equals(Model.SENTRY)) {
            throw new Auditor.BrokenPromiseException(Auditor.FOREIGN, "t_blobmark_old of somebody else was dropped");
        }
        locking.locked.remove(dropped);
    }

    @Override
    public Renaming renameBehind() throws SQLException {
        world.call(process, other, () -> "RENAME TABLE t TO t_blobmark_old, t_blobmark_new TO t, in another session");
        Behind behind = new Behind(other);
        world.model.renaming = behind;
        world.model.tables.get(Model.TABLE).await(other, Table.Use.ALTER);
        return behind;
    }

    /** A RENAME that waits before all who come later. */
    final class Behind implements Renaming {
        final Session session;
        private boolean isEnded;
        private boolean isRenamed;
        private SQLException failure = new SQLException("it did not begin");

        Behind(Session session) {
            this.session = session;
        }

        /** Goes on if nobody holds it back. */
        void progress() {
            for (String name : List.of(Model.TABLE, Model.FORMER, Model.FRESH)) {
                Table table = world.model.tables.get(name);
                boolean isFree = table == null || world.model.isGranted(session, table, Table.Use.ALTER);
                if (!isFree) {
                    return;
                }
            }
            if (!world.model.tables.containsKey(Model.TABLE) || !world.model.tables.containsKey(Model.FRESH)) {
                end(new SQLException("Table doesn't exist", "42S02", 1146));
            } else if (world.model.tables.containsKey(Model.FORMER)) {
                end(new SQLException("Table 't_blobmark_old' already exists", "42S01", 1050));
            } else {
                isRenamed = true;
                end(failure);
                world.note("the RENAME is carried out");
                world.model.exchange();
            }
        }

        void end(SQLException why) {
            isEnded = true;
            failure = why;
            world.model.renaming = null;
            world.model.tables.values().forEach(table -> table.leave(session));
        }

        @Override
        public boolean isWaiting() throws SQLException {
            long begin = world.clock.nanoTime();
            while (world.clock.nanoTime() - begin < PATIENCE_NANOS && !isEnded) {
                world.call(process, asking, () -> "looks whether the RENAME waits");
                Table table = world.model.tables.get(Model.TABLE);
                if (!isEnded) {
                    return table.isNextToAlter(session);
                }
            }
            return false;
        }

        @Override
        public void kill() throws SQLException {
            world.call(process, asking, () -> "KILL QUERY of the RENAME");
            if (!isEnded) {
                end(new SQLException("Query execution was interrupted", "70100", 1317));
            }
        }

        @Override
        public boolean isOver() {
            awaitEnd(TimeUnit.SECONDS.toNanos(TableLock.LOCK_SECONDS));
            return isEnded;
        }

        @Override
        public boolean isDone() {
            awaitEnd(RENAME_NANOS);
            if (!isEnded) {
                end(new SQLException("Lock wait timeout exceeded", "HY000", 1205));
            }
            if (session.isDead) {
                failure = new SQLException("lost", "08S01");
                return false; // whether it was carried out is not known
            }
            return isRenamed;
        }

        private void awaitEnd(long nanos) {
            long begin = world.clock.nanoTime();
            while (!isEnded && world.clock.nanoTime() - begin < nanos) {
                world.pause(process);
            }
        }

        @Override
        public SQLException failure() {
            return failure;
        }
    }
}
