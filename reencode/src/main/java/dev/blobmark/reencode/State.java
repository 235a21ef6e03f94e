package dev.blobmark.reencode;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import dev.blobmark.value.Policy;
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
 * @param until on the way back: key of the last row that was changed; empty if all may have been
 * @param counts since the change or the way back began
 * @param begun when it began
 */
record State(
        int version,
        String program,
        Before before,
        String codec,
        Policy policy,
        Phase phase,
        boolean isFirst,
        Optional<Copy> copy,
        List<String> keyColumns,
        Optional<List<String>> position,
        Optional<List<String>> until,
        Counts counts,
        Instant begun) {

    static final int VERSION = 1;

    /** What a newer version adds is ignored. */
    static final JsonMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .changeDefaultVisibility(v -> v.withIsGetterVisibility(Visibility.NONE))
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /**
     * A copy to a new table.
     *
     * @param isComplete whether all rows are there
     * @param feed place up to which the changes of others are there; empty if triggers write them into a table
     * @param ddl definition of the former table when the copy began; empty before anything was made
     */
    record Copy(boolean isComplete, Optional<String> feed, String ddl) {

        static final Copy PLANNED = new Copy(false, Optional.empty(), "");
    }

    /** Where a change is. */
    enum Phase {
        CHANGING,
        CHANGED,
        REVERTING,
        REVERTED
    }

    /**
     * What was done.
     *
     * @param rows that were read, with and without a value
     * @param changed rows whose stored bytes were changed
     * @param overtaken rows that others changed or deleted between reading and writing; their values were read again
     * @param tooLong values that are longer than readers accept, and were left
     * @param originals rows whose former bytes are kept
     * @param bytesBefore stored bytes of the rows that were read
     * @param bytesAfter stored bytes of these rows now
     * @param binlogBytes estimate of what was written to the binary log
     */
    record Counts(
            long rows,
            long changed,
            long overtaken,
            long tooLong,
            long originals,
            long bytesBefore,
            long bytesAfter,
            long binlogBytes) {

        static final Counts ZERO = new Counts(0, 0, 0, 0, 0, 0, 0, 0);

        Counts plus(Counts more) {
            return new Counts(
                    rows + more.rows,
                    changed + more.changed,
                    overtaken + more.overtaken,
                    tooLong + more.tooLong,
                    originals + more.originals,
                    bytesBefore + more.bytesBefore,
                    bytesAfter + more.bytesAfter,
                    binlogBytes + more.binlogBytes);
        }
    }

    static State begin(
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
                now);
    }

    Target target() {
        return new Target(codec, policy);
    }

    boolean isUnderWay() {
        return phase == Phase.CHANGING || phase == Phase.REVERTING;
    }

    /** What is done, for the user. */
    String inWords() {
        return switch (phase) {
            case CHANGING -> "a change to " + codec + " is under way: " + counts.rows() + " rows are done";
            case CHANGED -> "it was changed to " + codec + " before";
            case REVERTING -> "a change to " + codec + " is being taken back: " + counts.rows() + " rows are done";
            case REVERTED -> "a change to " + codec + " was taken back";
        };
    }

    boolean isBack() {
        return phase == Phase.REVERTING || phase == Phase.REVERTED;
    }

    /**
     * The way back from here, from the first row on. Rows that the change did not come to are left, unless an earlier
     * change had come to them: what is encoded there was encoded by others.
     */
    State revert(String by, Instant now) {
        boolean isPart = phase == Phase.CHANGING && isFirst && copy.isEmpty();
        return new State(
                VERSION,
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
                now);
    }

    /**
     * From the first row on, since the key is another one. What is encoded now may be of this change, so it is not kept
     * as if others had encoded it.
     */
    State restarted(List<String> otherKey) {
        return new State(
                version,
                program,
                before,
                codec,
                policy,
                phase,
                isFirst && position.isEmpty(),
                copy,
                otherKey,
                Optional.empty(),
                Optional.empty(),
                Counts.ZERO,
                begun);
    }

    /** After more rows. */
    State advanced(List<String> last, Counts more) {
        return at(phase, Optional.of(last), counts.plus(more));
    }

    /** After the last row. */
    State ended() {
        return at(isBack() ? Phase.REVERTED : Phase.CHANGED, Optional.empty(), counts);
    }

    private State at(Phase now, Optional<List<String>> last, Counts done) {
        return new State(
                version, program, before, codec, policy, now, isFirst, copy, keyColumns, last, until, done, begun);
    }

    /** The same as a copy. */
    State with(Copy as) {
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
                begun);
    }

    boolean isCopying() {
        return copy.isPresent() && phase == Phase.CHANGING;
    }

    /** After more was done at the same position. */
    State plus(Counts more) {
        return at(phase, position, counts.plus(more));
    }

    /** After changes of others up to a place. */
    State at(Optional<String> feed) {
        return with(new Copy(
                copy.orElseThrow().isComplete(), feed, copy.orElseThrow().ddl()));
    }

    /** After the last row of a copy. */
    State copied() {
        return with(new Copy(true, copy.orElseThrow().feed(), copy.orElseThrow().ddl()));
    }

    /** After a copy that was dropped. */
    State dropped() {
        return at(Phase.REVERTED, Optional.empty(), counts);
    }
}
