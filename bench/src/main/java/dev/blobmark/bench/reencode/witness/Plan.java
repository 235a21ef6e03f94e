package dev.blobmark.bench.reencode.witness;

import dev.blobmark.bench.reencode.witness.Writer.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What is done in one run, as it is drawn from a seed. The server decides what happens at the same time.
 *
 * @param rows of the table at first, with the keys 0, 2, 4 and so on
 * @param type of the column, one of text: the new table has another one then
 * @param rowImage of the binary log
 * @param mayLeaveLog whether the account of the change has the privilege to set sql_log_bin
 * @param speed of the change in percent
 * @param unlogged changes that no log has, each moment's in their order
 * @param kills of connections of the change
 * @param laterShare share of the rows in {@code unlogged} that the application writes when the exchange is noticed, and
 *     a measure of how often it writes them afterwards
 */
record Plan(
        long seed,
        int rows,
        String type,
        String rowImage,
        boolean mayLeaveLog,
        int speed,
        List<Unlogged> unlogged,
        List<Kill> kills,
        double laterShare) {

    /** When something is done. */
    enum Moment {
        /** Before the change begins. */
        START(true, 0),
        /** While rows are copied. */
        COPYING(false, 500),
        /** While the tables are compared before the exchange. */
        COMPARING(false, 80),
        /** Between that and the exchange. */
        EXCHANGING(true, 0),
        /** Under way when the last lock is waited for, and committed before that is taken. */
        WAITING(false, 0),
        /** When the tables are exchanged, before or after that or waiting for it. */
        RACING(false, 60),
        /** While the tables are compared after the exchange. */
        LATER(false, 150);

        /** Whether the change waits until all is done; otherwise it continues meanwhile. */
        final boolean isAwaited;

        /** The longest pause before each. */
        final int mostMillis;

        Moment(boolean isAwaited, int mostMillis) {
            this.isAwaited = isAwaited;
            this.mostMillis = mostMillis;
        }
    }

    /** @param pauseMillis before it */
    record Unlogged(Moment moment, Kind kind, int key, int pauseMillis) {}

    /** @param number among the connections */
    record Kill(Moment moment, int number, int pauseMillis) {}

    private static final double MANY = 0.1;
    private static final double LARGE = 0.05;
    private static final double NO_PRIVILEGE = 0.1;
    private static final double KILLED = 0.2;
    private static final double DISTURBED = 0.3;

    List<Unlogged> at(Moment moment) {
        return unlogged.stream().filter(each -> each.moment() == moment).toList();
    }

    static Plan of(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        boolean isLarge = random.nextDouble() < LARGE;
        int rows = isLarge ? random.nextInt(11_000, 16_000) : random.nextInt(400, 4_000);
        boolean areMany = random.nextDouble() < MANY;
        List<Unlogged> unlogged = new ArrayList<>();
        add(unlogged, Moment.START, random.nextInt(4), rows, random);
        // mostly, such a change is found before the exchange, and ends the copy: not in every run
        add(unlogged, Moment.COPYING, random.nextDouble() < DISTURBED ? random.nextInt(1, 4) : 0, rows, random);
        add(unlogged, Moment.COMPARING, random.nextDouble() < DISTURBED ? random.nextInt(1, 4) : 0, rows, random);
        add(unlogged, Moment.EXCHANGING, areMany ? random.nextInt(11, 60) : random.nextInt(8), rows, random);
        add(unlogged, Moment.WAITING, random.nextDouble() < DISTURBED ? 1 : 0, rows, random);
        add(unlogged, Moment.RACING, random.nextInt(5), rows, random);
        add(unlogged, Moment.LATER, random.nextInt(3), rows, random);
        List<Kill> kills = new ArrayList<>();
        if (random.nextDouble() < KILLED) {
            List<Moment> moments = List.of(Moment.COPYING, Moment.COMPARING, Moment.EXCHANGING, Moment.LATER);
            for (int i = random.nextInt(1, 4); i > 0; i--) {
                Moment moment = moments.get(random.nextInt(moments.size()));
                kills.add(new Kill(moment, random.nextInt(1_000), random.nextInt(200)));
            }
        }
        return new Plan(
                seed,
                rows,
                List.of("TEXT", "MEDIUMTEXT", "VARCHAR(2000)").get(random.nextInt(3)),
                List.of("FULL", "MINIMAL", "NOBLOB").get(random.nextInt(3)),
                random.nextDouble() >= NO_PRIVILEGE,
                random.nextInt(4) == 0 ? 30 : 100,
                List.copyOf(unlogged),
                List.copyOf(kills),
                List.of(0.0, 0.0, 0.3, 1.0).get(random.nextInt(4)));
    }

    private static void add(List<Unlogged> to, Moment moment, int number, int rows, SplittableRandom random) {
        for (int i = 0; i < number; i++) {
            Kind kind = Kind.values()[random.nextInt(3)];
            // a new row has an odd key, so it is between others
            int key = 2 * random.nextInt(rows) + (kind == Kind.INSERT ? 1 : 0);
            boolean isAgain = !to.isEmpty() && random.nextInt(8) == 0;
            int pause = moment.mostMillis == 0 ? 0 : random.nextInt(moment.mostMillis);
            to.add(new Unlogged(
                    moment, kind, isAgain ? to.get(random.nextInt(to.size())).key() : key, pause));
        }
    }
}
