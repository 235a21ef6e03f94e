package dev.blobmark.reencode.checkpoint;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import dev.blobmark.reencode.change.LogPlace;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Conversion;
import dev.blobmark.reencode.row.Sum;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.reencode.table.ColumnIdentity;
import dev.blobmark.reencode.table.TableIdentity;
import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.EncodingPolicy;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/**
 * How far a change has come. It is committed together with the rows that it speaks of.
 *
 * @param version of this form: a version of Blobmark continues what was begun in its own or an older one
 * @param program version of Blobmark that wrote it
 * @param before how values were stored before
 * @param codec of the {@link Target}
 * @param policy of the target
 * @param isFirst whether what is encoded was encoded by others: not so if values were changed before and not taken back
 * @param copy if rows are copied to a new table; empty if they are changed where they are
 * @param keyColumns columns of the key by which rows are read, with their types and collations: what {@code position}
 *     refers to
 * @param position key of the last row that is done; empty before the first
 * @param until of a part, and on the way back: key of the last row; empty if all rows may have been changed
 * @param counts since the change or the way back began
 * @param begun when it began
 * @param bounds keys at which the rows are divided into parts that are changed at the same time, each with a state of
 *     its own; empty if they are not divided
 * @param table the column that is changed in place, and its table; empty for a copy
 */
public record State(
        int version,
        String program,
        Before before,
        String codec,
        EncodingPolicy policy,
        Phase phase,
        boolean isFirst,
        Optional<Copy> copy,
        List<String> keyColumns,
        Optional<List<String>> position,
        Optional<List<String>> until,
        Counts counts,
        Instant begun,
        List<List<String>> bounds,
        Optional<ColumnIdentity> table) {

    /** Version 3 has the identities of the tables of a copy. */
    static final int VERSION = 3;

    public State {
        bounds = bounds == null ? List.of() : List.copyOf(bounds);
        table = table == null ? Optional.empty() : table; // a state of an older version
    }

    /** What a newer version adds is ignored. */
    public static final JsonMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .changeDefaultVisibility(v -> v.withIsGetterVisibility(Visibility.NONE))
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /**
     * A copy to a new table.
     *
     * @param isComplete whether all rows are there
     * @param log place up to which the changes of others are there; empty if triggers write them into a table
     * @param ddl definition of the former table when the copy began; empty before anything was made
     * @param tables both tables, once the new one was made
     * @param sum of the rows of the new table
     * @param exchange place of the log under the last lock, once the exchange has begun; empty before, and with
     *     triggers
     * @param isExchanging whether the last lock was taken: the exchange has begun, and may have happened
     * @param verdict of the comparison after the exchange
     */
    public record Copy(
            boolean isComplete,
            Optional<LogPlace> log,
            String ddl,
            Optional<Tables> tables,
            Sum sum,
            boolean isExchanging,
            Optional<LogPlace> exchange,
            Optional<Verdict> verdict) {

        public static final Copy PLANNED = new Copy(
                false, Optional.empty(), "", Optional.empty(), Sum.ZERO, false, Optional.empty(), Optional.empty());

        public Copy withDdl(String definition) {
            return new Copy(isComplete, log, definition, tables, sum, isExchanging, exchange, verdict);
        }

        public Copy with(Tables both) {
            return new Copy(isComplete, log, ddl, Optional.of(both), sum, isExchanging, exchange, verdict);
        }

        public Copy at(Optional<LogPlace> place) {
            return new Copy(isComplete, place, ddl, tables, sum, isExchanging, exchange, verdict);
        }

        public Copy plus(Sum more) {
            return new Copy(isComplete, log, ddl, tables, sum.plus(more), isExchanging, exchange, verdict);
        }

        Copy completed() {
            return new Copy(true, log, ddl, tables, sum, isExchanging, exchange, verdict);
        }

        /** Under the last lock, with all changes dealt with. */
        public Copy exchanging() {
            return new Copy(isComplete, log, ddl, tables, sum, true, log, verdict);
        }

        /** After an exchange that did not happen. */
        public Copy notExchanged() {
            return new Copy(isComplete, log, ddl, tables, sum, false, Optional.empty(), verdict);
        }

        public Copy with(Verdict of) {
            return new Copy(isComplete, log, ddl, tables, sum, isExchanging, exchange, Optional.of(of));
        }
    }

    /**
     * The identities of two tables, see {@link TableIdentity}.
     *
     * @param former that of the application's table when the copy began
     * @param fresh that of the table that takes its place
     * @param triggers those of the former table, by which changes are found; empty with the log
     */
    public record Tables(TableIdentity former, TableIdentity fresh, List<String> triggers) {}

    /** Where a change is. */
    public enum Phase {
        CHANGING,
        CHANGED,
        REVERTING,
        REVERTED
    }

    /** What the change does, or its way back. */
    public Conversion conversion(Dictionaries dictionaries) {
        return isBack()
                ? Conversion.back(target(), before(), dictionaries)
                : Conversion.to(target(), before(), dictionaries);
    }

    public static State begin(
            String program, Before before, Target target, boolean isFirst, List<String> keyColumns, Instant now) {
        return new State(
                VERSION,
                program,
                before,
                target.codec(),
                target.policy(),
                Phase.CHANGING,
                isFirst,
                Optional.empty(),
                keyColumns,
                Optional.empty(),
                Optional.empty(),
                Counts.ZERO,
                now,
                List.of(),
                Optional.empty());
    }

    public Target target() {
        return new Target(codec, policy);
    }

    public boolean isUnderWay() {
        return phase == Phase.CHANGING || phase == Phase.REVERTING;
    }

    /** What is done, for the user. */
    public String inWords() {
        return switch (phase) {
            case CHANGING -> "a change to " + codec + " is under way: " + counts.rows() + " rows are done";
            case CHANGED -> "it was changed to " + codec + " before";
            case REVERTING -> "a change to " + codec + " is being taken back: " + counts.rows() + " rows are done";
            case REVERTED -> "a change to " + codec + " was taken back";
        };
    }

    public boolean isBack() {
        return phase == Phase.REVERTING || phase == Phase.REVERTED;
    }

    /**
     * The way back from here, from the first row on. Rows that the change did not come to are left, unless an earlier
     * change had come to them: what is encoded there was encoded by others.
     */
    public State revert(String by, Instant now) {
        boolean isPart = phase == Phase.CHANGING && isFirst && copy.isEmpty() && bounds.isEmpty();
        return new State(
                version,
                by,
                before,
                codec,
                policy,
                isPart && position.isEmpty() ? Phase.REVERTED : Phase.REVERTING,
                isFirst,
                copy,
                keyColumns,
                Optional.empty(),
                isPart ? position : Optional.empty(),
                Counts.ZERO,
                now,
                bounds,
                table);
    }

    /**
     * From the first row on, since the key is another one. What is encoded now may be of this change, so it is not kept
     * as if others had encoded it.
     */
    public State restarted(List<String> otherKey) {
        return new State(
                VERSION,
                program,
                before,
                codec,
                policy,
                phase,
                isFirst && position.isEmpty() && counts.rows() == 0,
                copy,
                otherKey,
                Optional.empty(),
                Optional.empty(),
                Counts.ZERO,
                begun,
                List.of(),
                table);
    }

    /** After more rows. */
    public State advanced(List<String> last, Counts more) {
        return at(phase, Optional.of(last), counts.plus(more));
    }

    /** After the last row. */
    public State ended() {
        return at(isBack() ? Phase.REVERTED : Phase.CHANGED, Optional.empty(), counts);
    }

    private State at(Phase now, Optional<List<String>> last, Counts done) {
        return with(now, last, until, done, bounds);
    }

    private State with(
            Phase now,
            Optional<List<String>> after,
            Optional<List<String>> last,
            Counts done,
            List<List<String>> divided) {
        return new State(
                VERSION,
                program,
                before,
                codec,
                policy,
                now,
                isFirst,
                copy,
                keyColumns,
                after,
                last,
                done,
                begun,
                divided,
                table);
    }

    /** The same as a copy. */
    public State with(Copy as) {
        return new State(
                version,
                program,
                before,
                codec,
                policy,
                phase,
                isFirst,
                Optional.of(as),
                keyColumns,
                position,
                until,
                counts,
                begun,
                bounds,
                table);
    }

    /** The same of a column that is changed in place; parts leave that to the whole. */
    public State of(Optional<ColumnIdentity> identity) {
        return new State(
                version,
                program,
                before,
                codec,
                policy,
                phase,
                isFirst,
                copy,
                keyColumns,
                position,
                until,
                counts,
                begun,
                bounds,
                identity);
    }

    /** Whether a column is another one than the one that is changed in place. */
    public boolean isOfOther(ColumnIdentity now) {
        return copy.isEmpty() && table.isPresent() && now.isOther(table.get());
    }

    public boolean isCopying() {
        return copy.isPresent() && phase == Phase.CHANGING;
    }

    /** After more was done at the same position. */
    public State plus(Counts more) {
        return at(phase, position, counts.plus(more));
    }

    /** After changes of others up to a place. */
    public State at(Optional<LogPlace> log) {
        return with(copy.orElseThrow().at(log));
    }

    /** After rows of the new table were written, removed or changed. */
    public State plus(Sum sum) {
        return with(copy.orElseThrow().plus(sum));
    }

    /** After the last row of a copy. */
    public State copied() {
        return with(copy.orElseThrow().completed());
    }

    /** After a copy that was dropped. */
    public State dropped() {
        return at(Phase.REVERTED, Optional.empty(), counts);
    }

    /** Number of parts; 1 if the rows are not divided. */
    public int parts() {
        return bounds.size() + 1;
    }

    public boolean isDivided() {
        return !bounds.isEmpty();
    }

    /** The same, divided by keys before anything was done. */
    public State divided(List<List<String>> keys) {
        return with(phase, position, until, counts, keys);
    }

    /** With what was done in the parts. */
    public State counted(List<Counts> parts) {
        return with(phase, position, until, parts.stream().reduce(Counts.ZERO, Counts::plus), bounds);
    }

    /**
     * The state of a part when the work begins or continues.
     *
     * @param known as it is stored
     */
    public State continued(int number, Optional<State> known) {
        if (!isBack()) {
            return known.orElseGet(() -> part(number, phase, end(number)));
        }
        return known.filter(State::isBack).orElseGet(() -> back(number, known));
    }

    /** The way back of a part. Like {@link #revert}, it leaves rows that the change did not come to. */
    private State back(int number, Optional<State> changed) {
        if (!isFirst || changed.isPresent() && changed.get().phase == Phase.CHANGED) {
            return part(number, phase, end(number));
        }
        Optional<List<String>> done = changed.flatMap(State::position);
        return done.equals(begin(number)) || done.isEmpty()
                ? part(number, Phase.REVERTED, end(number))
                : part(number, phase, done);
    }

    private State part(int number, Phase now, Optional<List<String>> last) {
        return with(now, begin(number), last, Counts.ZERO, List.of()).of(Optional.empty());
    }

    /** The key of the row before a part; empty for the first part. */
    public Optional<List<String>> begin(int number) {
        return number == 0 ? Optional.empty() : Optional.of(bounds.get(number - 1));
    }

    /** The key of the last row of a part; empty for the last part. */
    private Optional<List<String>> end(int number) {
        return number < bounds.size() ? Optional.of(bounds.get(number)) : Optional.empty();
    }
}
