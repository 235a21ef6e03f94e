package dev.blobmark.bench.reencode.random;

import java.util.List;

/**
 * All that is done in one trial, as it was drawn from a seed or left by shrinking.
 *
 * @param globals variables of the server as assignments, which hold while it lasts
 * @param table that is changed
 * @param setup further statements of both schemas before the change, such as those that fill the tables
 * @param sessions what each session of the application sets
 * @param steps in their order
 * @param isMade whether the change is made at all; without it, the trial examines only itself
 */
record Scenario(
        Seat seat,
        long seed,
        List<String> globals,
        Table table,
        List<Statement> setup,
        List<List<String>> sessions,
        List<Step> steps,
        Change change,
        boolean isMade) {

    /**
     * A statement for the table and the same for its twin. They differ in how values are stored, and in names that a
     * server has once. {@code @file(…)} stands for the name of a file with that content.
     */
    record Statement(String main, String twin) {

        static Statement same(String sql) {
            return new Statement(sql, sql);
        }
    }

    /** What a step does. */
    enum Act {
        EXECUTE,
        /** Opens a transaction that reads the table; it ends when somebody has waited for it for a while. */
        HOLD,
        /** Ends the connection as if the client had died, and connects again. */
        DISCONNECT,
        /** Kills one of the change's connections. */
        KILL,
        /** Asks the change to stop; the same command follows. */
        INTERRUPT,
        /** Executes a statement once, not for the twin. */
        ADMINISTER
    }

    /**
     * One step of a session.
     *
     * @param group of steps that are one transaction
     * @param phase number of the call of the listener with which it may begin
     * @param isAwaited whether the change waits within that call until the step is done
     * @param isLate whether it waits for the next call of the listener, for a while
     */
    record Step(int session, Act act, Statement statement, int group, int phase, boolean isAwaited, boolean isLate) {}

    /** What follows on a change. */
    enum After {
        NOTHING,
        REVERT,
        FINISH
    }

    /**
     * The change.
     *
     * @param from codec of the values without a frame
     * @param to codec of the frames
     * @param speed in percent
     */
    record Change(boolean isCopy, String from, String to, int speed, int writers, After after) {}

    Scenario with(Table other) {
        return new Scenario(seat, seed, globals, other, setup, sessions, steps, change, isMade);
    }

    Scenario withSteps(List<Step> others) {
        return new Scenario(seat, seed, globals, table, setup, sessions, others, change, isMade);
    }

    Scenario withSetup(List<Statement> others) {
        return new Scenario(seat, seed, globals, table, others, sessions, steps, change, isMade);
    }

    Scenario withGlobals(List<String> others) {
        return new Scenario(seat, seed, others, table, setup, sessions, steps, change, isMade);
    }

    Scenario withSessions(List<List<String>> others) {
        return new Scenario(seat, seed, globals, table, setup, others, steps, change, isMade);
    }

    Scenario with(Change other) {
        return new Scenario(seat, seed, globals, table, setup, sessions, steps, other, isMade);
    }

    /** The same statements and no change. */
    Scenario withoutChange() {
        return new Scenario(
                seat,
                seed,
                globals,
                table,
                setup,
                sessions,
                steps.stream()
                        .filter(step -> step.act() != Act.KILL && step.act() != Act.INTERRUPT)
                        .toList(),
                change,
                false);
    }
}
