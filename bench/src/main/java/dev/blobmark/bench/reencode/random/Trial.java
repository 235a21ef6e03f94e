package dev.blobmark.bench.reencode.random;

import static dev.blobmark.bench.reencode.random.Table.quoted;

import dev.blobmark.bench.reencode.random.Result.Outcome;
import dev.blobmark.bench.reencode.random.Scenario.Act;
import dev.blobmark.bench.reencode.random.Scenario.After;
import dev.blobmark.bench.reencode.random.Scenario.Change;
import dev.blobmark.bench.reencode.random.Scenario.Statement;
import dev.blobmark.bench.reencode.random.Scenario.Step;
import dev.blobmark.mysql.client.Session;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.Reencoding;
import dev.blobmark.reencode.checkpoint.Verdict;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.terms.Progress;
import dev.blobmark.reencode.terms.ReencodeListener;
import dev.blobmark.value.EncodingPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Makes a scenario in two new schemas, and judges what became of it. */
final class Trial {

    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final long CHANGE_SECONDS = 90;
    private static final long KILL_MILLIS = 200;
    private static final int TRANSACTION_MILLIS = 5;
    private static final int ATTEMPTS = 6;

    /** ER_XA_RBROLLBACK of MariaDB: it had been rolled back. */
    private static final int ROLLED_BACK = 1402;

    private final Stage stage;
    private final Scenario scenario;
    private final String main = "r" + NUMBER.incrementAndGet();
    private final String twin = main + "_twin";
    private final Log log = new Log();
    private final AtomicInteger disturbed = new AtomicInteger();
    private volatile Optional<Reencoding> running = Optional.empty();
    private volatile boolean isTimedOut;
    private Optional<String> hanging = Optional.empty();
    private boolean wasBegun;

    private Trial(Stage stage, Scenario scenario) {
        this.stage = stage;
        this.scenario = scenario;
    }

    static Result run(Stage stage, Scenario scenario) throws SQLException, IOException, InterruptedException {
        return new Trial(stage, scenario).run();
    }

    private Result result(Outcome outcome, String reason, int executed) {
        return new Result(outcome, reason.lines().findFirst().orElse(""), executed, log.seconds(), log.lines());
    }

    private Result run() throws SQLException, IOException, InterruptedException {
        Path directory = Files.createTempDirectory(Files.createDirectories(stage.cache), "trial");
        try (Connection connection = stage.connect()) {
            try {
                Optional<String> invalid = setUp(connection);
                if (invalid.isPresent()) {
                    return result(Outcome.INVALID, "schema: " + invalid.get(), 0);
                }
                return run(connection, directory);
            } finally {
                stage.reset();
                rollBackPrepared(connection);
                Sql.execute(connection, "DROP DATABASE IF EXISTS " + main);
                Sql.execute(connection, "DROP DATABASE IF EXISTS " + twin);
            }
        } finally {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    /** Makes the tables; the error of the server if it does not take them. */
    private Optional<String> setUp(Connection connection) throws SQLException {
        for (String schema : List.of(main, twin)) {
            Sql.execute(connection, "CREATE DATABASE " + schema);
        }
        List<Statement> statements =
                new ArrayList<>(List.of(Statement.same(scenario.table().ddl())));
        statements.addAll(scenario.setup());
        for (Statement statement : statements) {
            Optional<String> here = attempt(connection, main, statement.main());
            Optional<String> there = attempt(connection, twin, statement.twin());
            boolean isDefinition = statement.main().startsWith("CREATE");
            if (here.isPresent() != there.isPresent() || here.isPresent() && isDefinition) {
                return Optional.of(
                        here.or(() -> there).get() + ": " + statement.main().replace('\n', ' '));
            }
        }
        for (String global : scenario.globals()) {
            try {
                stage.execute("SET GLOBAL " + global);
            } catch (SQLException e) {
                return Optional.of(global + ": " + e.getMessage());
            }
        }
        return Optional.empty();
    }

    private static Optional<String> attempt(Connection connection, String schema, String sql) throws SQLException {
        Sql.execute(connection, "USE " + schema);
        Sql.execute(connection, "SET timestamp = 1600000000");
        try {
            Sql.execute(connection, sql);
            return Optional.empty();
        } catch (SQLException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /** How the change ended; the exception if it did not make all of it. */
    private record Ended(boolean isComplete, Optional<Verdict> verdict, Optional<Exception> failure) {

        /** Whether the command itself says that rows may differ. */
        boolean isOpen() {
            return verdict.filter(Verdict::isOpen).isPresent();
        }
    }

    private Result run(Connection connection, Path directory) throws SQLException, IOException, InterruptedException {
        Optional<String> undecided = Optional.empty();
        Optional<Ended> ended;
        List<String> found;
        int executed;
        long mostGiven;
        try (Application application = new Application(stage, scenario, main, twin, directory, log)) {
            FutureTask<Ended> changing = new FutureTask<>(() -> change(application));
            Thread thread = new Thread(changing, "change");
            if (scenario.isMade()) {
                thread.start();
            } else {
                application.ended();
            }
            try {
                application.run(this::disturb);
            } catch (Application.UndecidedException e) {
                undecided = Optional.of("undecided: " + e.getMessage());
            }
            ended = scenario.isMade() ? end(changing, thread) : Optional.empty();
            executed = application.executed();
            mostGiven = application.mostGiven();
            found = new ArrayList<>(application.differences());
        }
        rollBackPrepared(connection);
        if (scenario.isMade() && ended.isEmpty()) {
            return result(Outcome.HUNG, "hung: " + hanging.orElse("it was interrupted"), executed);
        }
        if (undecided.isPresent()) {
            return result(Outcome.INVALID, undecided.get(), executed);
        }
        Judge judge = new Judge(
                connection, main, twin, scenario.table(), scenario.change().from(), mostGiven);
        if (ended.isEmpty()) {
            found.addAll(judge.differences(false));
            return found.isEmpty()
                    ? result(Outcome.CHANGED, "", executed)
                    : result(Outcome.LOST, found.get(0), executed);
        }
        return judged(judge, ended.get(), found, executed);
    }

    private Result judged(Judge judge, Ended how, List<String> found, int executed) throws SQLException {
        found.addAll(how.isComplete() ? afterChange(judge, how) : afterFailure(judge));
        if (how.isOpen() && found.stream().allMatch(each -> each.startsWith("rows:"))) {
            return result(Outcome.NAMED, "" + how.verdict().orElseThrow(), executed);
        }
        if (!found.isEmpty()) {
            found.forEach(log::add);
            String before = how.failure()
                    .map(e -> " (it had ended with: " + e.getMessage() + ")")
                    .orElse("");
            return result(Outcome.LOST, found.get(0) + before, executed);
        }
        if (how.isComplete()) {
            boolean isClean =
                    how.verdict().filter(verdict -> !verdict.isClean()).isEmpty();
            return isClean
                    ? result(Outcome.CHANGED, "", executed)
                    : result(Outcome.BROUGHT_OVER, "" + how.verdict().orElseThrow(), executed);
        }
        Exception failure =
                how.failure().orElseGet(() -> new IllegalStateException("it was interrupted again and again"));
        String reason = String.valueOf(failure.getMessage()).replaceAll("\\s+", " ");
        boolean isClear = isClear(failure);
        return result(
                !isClear ? Outcome.UNCLEAR : wasBegun ? Outcome.STOPPED : Outcome.REFUSED,
                (isClear ? "" : failure.getClass().getSimpleName() + ": ") + reason,
                executed);
    }

    private static boolean isClear(Exception e) {
        return e.getClass().getName().startsWith("dev.blobmark.")
                && !String.valueOf(e.getMessage()).contains("a defect of Blobmark");
    }

    /** How the change ended; empty if it did not end by itself. */
    private Optional<Ended> end(FutureTask<Ended> changing, Thread thread) throws SQLException, InterruptedException {
        try {
            return Optional.of(changing.get(CHANGE_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            isTimedOut = true;
        }
        describe(thread);
        running.ifPresent(Reencoding::interrupt);
        while (!changing.isDone()) {
            stage.kill(0);
            TimeUnit.MILLISECONDS.sleep(KILL_MILLIS);
        }
        return Optional.empty();
    }

    /** Where the change hangs, and what the server does meanwhile. */
    private void describe(Thread thread) throws SQLException {
        List<StackTraceElement> calls = List.of(thread.getStackTrace());
        calls.forEach(call -> log.add("it hangs: at " + call));
        hanging = calls.stream()
                .filter(call -> call.getClassName().startsWith("dev.blobmark.reencode."))
                .map(call ->
                        "at " + call.getMethodName() + " (" + call.getFileName() + ":" + call.getLineNumber() + ")")
                .findFirst();
        for (Session session : stage.sessions()) {
            log.add("it hangs, with session " + session);
        }
        try (Connection connection = stage.connect()) {
            Sql.strings(
                            connection,
                            "SELECT CONCAT_WS(' ', id, user, state, info) FROM information_schema.processlist WHERE info IS"
                                    + " NOT NULL")
                    .forEach(line -> log.add("it hangs, with statement " + line));
            Sql.strings(
                            connection,
                            "SELECT CONCAT_WS(' ', trx_mysql_thread_id, trx_state, trx_started, trx_rows_locked, trx_query)"
                                    + " FROM information_schema.innodb_trx")
                    .forEach(line -> log.add("it hangs, with transaction " + line));
            prepared(connection).forEach(id -> log.add("it hangs, with prepared transaction " + id));
        }
    }

    /** Transactions of this trial that are neither committed nor rolled back. */
    private void rollBackPrepared(Connection connection) throws SQLException {
        for (String id : prepared(connection)) {
            if (id.matches("x\\d+[mt]" + scenario.seed())) {
                try {
                    Sql.execute(connection, "XA ROLLBACK '" + id + "'");
                } catch (SQLException e) {
                    if (e.getErrorCode() != ROLLED_BACK) {
                        throw e;
                    }
                }
            }
        }
    }

    private static List<String> prepared(Connection connection) throws SQLException {
        List<String> ids = new ArrayList<>();
        try (java.sql.Statement statement = connection.createStatement();
                java.sql.ResultSet row = statement.executeQuery("XA RECOVER")) {
            while (row.next()) {
                ids.add(row.getString(4));
            }
        }
        return ids;
    }

    private void disturb(Step step) throws SQLException {
        if (step.act() == Act.ADMINISTER) {
            stage.execute(step.statement().main());
        } else if (step.act() == Act.INTERRUPT) {
            running.ifPresent(Reencoding::interrupt);
        } else if (stage.kill(Integer.parseInt(step.statement().main()))) {
            disturbed.incrementAndGet();
        }
    }

    private Reencoding reencoding(ReencodeListener listener) {
        Change change = scenario.change();
        return stage.reencoding(
                TableColumn.of(main, scenario.table().name(), scenario.table().payload()),
                change.isCopy(),
                change.speed(),
                TRANSACTION_MILLIS,
                change.writers(),
                listener);
    }

    private ReencodeListener listener(Runnable called) {
        return new ReencodeListener() {
            @Override
            public void progressed(Progress progress) {
                log.add("change: " + progress.step() + " " + progress.rows());
                called.run();
            }

            @Override
            public void noticeIssued(String notice) {
                log.add("change: " + notice);
                called.run();
            }
        };
    }

    private Target target() {
        return new Target(scenario.change().to(), new EncodingPolicy(0, 0, false));
    }

    private Ended change(Application application) {
        try {
            for (int attempt = 1; ; attempt++) {
                int before = disturbed.get();
                Reencoding reencoding = reencoding(listener(application::called));
                running = Optional.of(reencoding);
                try {
                    dev.blobmark.reencode.terms.Outcome outcome =
                            reencoding.change(new Before(scenario.change().from(), false), target());
                    if (outcome.isComplete() || isTimedOut || attempt == ATTEMPTS) {
                        return new Ended(outcome.isComplete(), outcome.verdict(), Optional.empty());
                    }
                } catch (Exception e) { // of any kind: what remains is judged
                    log.add("change: " + e);
                    if (disturbed.get() == before || isTimedOut || attempt == ATTEMPTS) {
                        return new Ended(false, Optional.empty(), Optional.of(e));
                    }
                }
            }
        } finally {
            application.ended();
        }
    }

    /** Whether the application has made another table of it, which is no longer the one that was changed. */
    private boolean isRebuilt() {
        String name = quoted(scenario.table().name());
        return scenario.steps().stream()
                .map(step -> step.statement().main())
                .anyMatch(sql -> sql.startsWith("TRUNCATE TABLE " + name) || sql.startsWith("ALTER TABLE " + name));
    }

    private List<String> afterFailure(Judge judge) throws SQLException {
        List<String> found = new ArrayList<>(judge.differences(false));
        List<String> left = judge.left();
        wasBegun = !left.isEmpty();
        if (wasBegun) {
            try {
                log.add("revert");
                reencoding(listener(() -> {})).revert();
            } catch (Exception e) {
                log.add("revert: " + e);
                // in place, values that were changed belong to a table that is gone
                if (!isClear(e) || !isRebuilt() || scenario.change().isCopy()) {
                    found.add("revert: " + e);
                }
            }
            found.addAll(judge.differences(false));
            judge.left().stream()
                    .filter(name -> !name.startsWith("blobmark_reencode"))
                    .forEach(name -> found.add("left: " + name));
        }
        return found;
    }

    private List<String> afterChange(Judge judge, Ended how) throws SQLException {
        boolean isCopy = scenario.change().isCopy();
        List<String> found = new ArrayList<>(judge.differences(isCopy));
        try {
            log.add("verify: " + reencoding(listener(() -> {})).verify());
        } catch (Exception e) {
            log.add("verify: " + e);
            if (!isClear(e) || !isRebuilt()) {
                found.add("verify: " + e);
            }
        }
        if (scenario.change().after() != After.NOTHING && found.isEmpty() && !how.isOpen() && !isRebuilt()) {
            try {
                log.add("" + scenario.change().after());
                if (scenario.change().after() == After.REVERT) {
                    reencoding(listener(() -> {})).revert();
                } else {
                    reencoding(listener(() -> {})).finish();
                    judge.left().forEach(name -> found.add("left: " + name));
                }
            } catch (Exception e) {
                found.add("after: " + e);
            }
            found.addAll(judge.differences(isCopy));
        }
        return found;
    }
}
