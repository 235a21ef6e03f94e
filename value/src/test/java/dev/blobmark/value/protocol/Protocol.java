package dev.blobmark.value.protocol;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * A small model of {@code docs/value-protocol.md}: two writers, two readers, an operator, and the tables. Time is a
 * number of ticks; in a tick, everything happens in any order.
 *
 * <p>Kinds of values are features, which a release knows or does not know (a codec, or a version of the format), and
 * dictionaries, which a reader loads from the table. Raw values are left out: everybody reads them. Of the values that
 * are committed, the model keeps which kinds there are. A writer has one value at a time: from a look at the registry
 * to the commit. More of them would be no more: a value that cannot be read is one value, and other values only keep a
 * dictionary or a codec from being removed.
 *
 * <p>A crash of a reader removes its row at once. It stays in fact until it expires, which only keeps writers from
 * encoding.
 */
final class Protocol {

    /** Ticks for which a writer relies on what it read. */
    static final int RELY = 1;

    /** Ticks from encoding to the statement that inserts the value. */
    static final int HOLD = 1;

    /** Ticks after which the row of a silent reader does not count. */
    static final int GONE = 2;

    /** Ticks from the withdrawal of a dictionary to its deletion, and likewise of a codec. */
    static final int WAIT = RELY + HOLD + 1;

    private static final int WRITERS = 2;
    private static final int READERS = 2;

    // phases of a writer's value
    private static final int NOTHING = 0;
    private static final int PERMITTED = 1;
    private static final int ENCODED = 2;
    private static final int INSERTED = 3;

    // phases of a reader
    private static final int DOWN = 0;
    private static final int STARTING = 1;
    private static final int READING = 2;

    // of a feature: writers may encode with it; from STOPPED on, the ticks since they may not
    private static final int ALLOWED = 0;
    private static final int STOPPED = 1;

    // of a dictionary: in the table or not; from WITHDRAWN on, the ticks since it is withdrawn
    private static final int ABSENT = 0;
    private static final int STORED = 1;
    private static final int WITHDRAWN = 2;

    enum Kind {
        FEATURE,
        DICTIONARY
    }

    private final List<Kind> kinds;
    private final Set<Rule> rules;

    Protocol(List<Kind> kinds, Set<Rule> rules) {
        this.kinds = kinds;
        this.rules = rules;
    }

    static Protocol whole(Kind... kinds) {
        return new Protocol(List.of(kinds), EnumSet.allOf(Rule.class));
    }

    Protocol without(Rule rule) {
        Set<Rule> others = EnumSet.copyOf(rules);
        others.remove(rule);
        return new Protocol(kinds, others);
    }

    private boolean has(Rule rule) {
        return rules.contains(rule);
    }

    /** A state, as fields or packed into 64 bits. */
    private static final class State {

        int committed;
        final int[] status = new int[3];
        final Writer[] writers = {new Writer(), new Writer()};
        final Reader[] readers = {new Reader(), new Reader()};

        static State of(long packed) {
            Bits bits = new Bits(packed);
            State state = new State();
            state.committed = bits.take(3);
            for (int i = 0; i < 3; i++) {
                state.status[i] = bits.take(3);
            }
            for (Writer writer : state.writers) {
                writer.phase = bits.take(2);
                writer.kind = bits.take(2);
                writer.age = bits.take(2);
            }
            for (Reader reader : state.readers) {
                reader.phase = bits.take(2);
                reader.isNew = bits.take(1) == 1;
                reader.loaded = bits.take(3);
                reader.announced = bits.take(3);
                reader.hasRow = bits.take(1) == 1;
                reader.age = bits.take(2);
            }
            return state;
        }

        /** Which of the writers is the first has no meaning; the same is true of the readers. */
        long packed() {
            long w0 = writers[0].packed();
            long w1 = writers[1].packed();
            long r0 = readers[0].packed();
            long r1 = readers[1].packed();
            long packed = committed;
            for (int i = 0; i < 3; i++) {
                packed |= (long) status[i] << 3 + 3 * i;
            }
            return packed
                    | Math.min(w0, w1) << 12
                    | Math.max(w0, w1) << 18
                    | Math.min(r0, r1) << 24
                    | Math.max(r0, r1) << 36;
        }

        boolean isInserted(int kind) {
            for (Writer writer : writers) {
                if (writer.phase == INSERTED && writer.kind == kind) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public String toString() {
            return "committed " + Integer.toBinaryString(committed) + ", status " + status[0] + status[1] + status[2]
                    + ", writers " + writers[0] + " " + writers[1] + ", readers " + readers[0] + " " + readers[1];
        }
    }

    private static final class Bits {

        private long left;

        Bits(long packed) {
            left = packed;
        }

        int take(int count) {
            int bits = (int) (left & (1 << count) - 1);
            left >>>= count;
            return bits;
        }
    }

    private static final class Writer {

        int phase;
        int kind;
        int age;

        void set(int newPhase, int newKind) {
            phase = newPhase;
            kind = newKind;
            age = 0;
        }

        long packed() {
            return phase | kind << 2 | age << 4;
        }

        @Override
        public String toString() {
            return phase + "/" + kind + "/" + age;
        }
    }

    private static final class Reader {

        int phase;
        boolean isNew;
        int loaded;
        int announced;
        boolean hasRow;
        int age;

        void stop() {
            phase = DOWN;
            isNew = false;
            loaded = 0;
            announced = 0;
            hasRow = false;
            age = 0;
        }

        long packed() {
            return phase | (isNew ? 1 : 0) << 2 | loaded << 3 | announced << 6 | (hasRow ? 1 : 0) << 9 | age << 10;
        }

        @Override
        public String toString() {
            return phase + (isNew ? "new" : "old") + "/" + loaded + "/" + announced + (hasRow ? "row" : "") + "/" + age;
        }
    }

    private boolean isFeature(int kind) {
        return kinds.get(kind) == Kind.FEATURE;
    }

    /** No value is stored, nothing runs, features are unknown to everybody, and no dictionary is there. */
    long initial() {
        State state = new State();
        for (int kind = 0; kind < kinds.size(); kind++) {
            state.status[kind] = isFeature(kind) ? STOPPED + WAIT : ABSENT;
        }
        return state.packed();
    }

    /** What is wrong in a state; empty if every committed value can be read. */
    Optional<String> violation(long packed) {
        State state = State.of(packed);
        for (int kind = 0; kind < kinds.size(); kind++) {
            if ((state.committed >> kind & 1) == 0) {
                continue;
            }
            if (!isFeature(kind) && state.status[kind] == ABSENT) {
                return Optional.of("dictionary " + kind + " is lost, and values refer to it");
            }
            for (Reader reader : state.readers) {
                boolean reads = isFeature(kind) ? reader.isNew : (reader.loaded >> kind & 1) == 1;
                if (isReading(reader) && !reads) {
                    return Optional.of("a reader reads, and cannot read values of kind " + kind);
                }
            }
        }
        return Optional.empty();
    }

    private boolean isReading(Reader reader) {
        boolean isSilent = reader.age == GONE && has(Rule.R4_A_READER_THAT_WAS_SILENT_FOR_TOO_LONG_DOES_NOT_READ);
        return reader.phase == READING && !isSilent;
    }

    static String describe(long packed) {
        return State.of(packed).toString();
    }

    /** Gives each action that is possible, and the state after it. */
    void successors(long packed, BiConsumer<String, Long> to) {
        Steps steps = new Steps(packed, to);
        for (int i = 0; i < WRITERS; i++) {
            writer(steps, i);
        }
        for (int i = 0; i < READERS; i++) {
            reader(steps, i);
        }
        operator(steps);
        steps.add("a tick passes", this::tick);
    }

    private record Steps(long from, BiConsumer<String, Long> to) {

        interface Change {
            void apply(State state);
        }

        State now() {
            return State.of(from);
        }

        void add(String name, Change change) {
            State next = State.of(from);
            change.apply(next);
            long packed = next.packed();
            if (packed != from) {
                to.accept(name, packed);
            }
        }
    }

    private void writer(Steps steps, int i) {
        State now = steps.now();
        Writer writer = now.writers[i];
        switch (writer.phase) {
            case NOTHING -> {
                for (int kind = 0; kind < kinds.size(); kind++) {
                    if (isPermitted(now, kind)) {
                        int permitted = kind;
                        steps.add(
                                "a writer may encode kind " + kind, next -> next.writers[i].set(PERMITTED, permitted));
                    }
                }
            }
            // it has loaded the dictionary, whether it was deleted since or not
            case PERMITTED -> steps.add("a writer encodes", next -> next.writers[i].set(ENCODED, writer.kind));
            case ENCODED -> steps.add("a writer inserts", next -> next.writers[i].set(INSERTED, writer.kind));
            case INSERTED ->
                steps.add("a writer commits", next -> {
                    next.writers[i].set(NOTHING, 0);
                    next.committed |= 1 << writer.kind;
                });
            default -> throw new AssertionError();
        }
        steps.add("a writer crashes or rolls back", next -> next.writers[i].set(NOTHING, 0));
    }

    private boolean isPermitted(State now, int kind) {
        int status = now.status[kind];
        boolean isThere = isFeature(kind)
                ? status == ALLOWED
                : status == STORED
                        || status >= WITHDRAWN && !has(Rule.W4_A_WRITER_ENCODES_NOTHING_WITH_A_WITHDRAWN_DICTIONARY)
                        || status == ABSENT && !has(Rule.W3_A_WRITER_FINDS_THE_DICTIONARY_BEFORE_IT_ASKS_FOR_READERS);
        if (!isThere || !has(Rule.W1_A_WRITER_ENCODES_ONLY_WHAT_ALL_ANNOUNCED_READERS_READ)) {
            return isThere;
        }
        for (Reader reader : now.readers) {
            int counted = has(Rule.R6_ITS_ROW_COUNTS_FOR_AS_LONG_AS_IT_READS) ? GONE : GONE - 1;
            boolean isIgnored = reader.announced == 0
                    && !reader.isNew
                    && !has(Rule.R7_A_ROW_WITHOUT_A_KNOWN_ABILITY_IS_A_READER_THAT_LACKS_IT);
            boolean reads = isFeature(kind) ? reader.isNew : (reader.announced >> kind & 1) == 1;
            if (reader.hasRow && reader.age < counted && !isIgnored && !reads) {
                return false;
            }
        }
        return true;
    }

    private void reader(Steps steps, int i) {
        State now = steps.now();
        Reader reader = now.readers[i];
        switch (reader.phase) {
            case DOWN -> {
                start(steps, i, true);
                start(steps, i, false);
            }
            case STARTING -> {
                if (reader.hasRow && mayRead(now, reader.isNew)) {
                    steps.add("a reader loads dictionaries and reads", next -> {
                        if (has(Rule.R3_A_READER_LOADS_DICTIONARIES_AFTER_ITS_FIRST_ANNOUNCEMENT)) {
                            next.readers[i].loaded |= table(next);
                        }
                        next.readers[i].phase = READING;
                    });
                }
                steps.add("a reader announces itself", next -> announce(next, i));
                steps.add("a reader loads dictionaries", next -> next.readers[i].loaded |= table(next));
            }
            case READING -> {
                if (reader.age < GONE || !has(Rule.R5_AFTER_SUCH_A_SILENCE_IT_BEGINS_ANEW)) {
                    steps.add("a reader announces itself again", next -> announce(next, i));
                }
                steps.add("a reader loads dictionaries", next -> next.readers[i].loaded |= table(next));
            }
            default -> throw new AssertionError();
        }
        steps.add("a reader ends or crashes", next -> next.readers[i].stop());
    }

    private void start(Steps steps, int i, boolean isNew) {
        String release = isNew ? "new" : "old";
        if (has(Rule.R2_A_READER_ANNOUNCES_ITSELF_BEFORE_IT_READS)) {
            steps.add("a reader of the " + release + " release starts", next -> {
                next.readers[i].phase = STARTING;
                next.readers[i].isNew = isNew;
            });
        } else if (mayRead(steps.now(), isNew)) {
            steps.add("a reader of the " + release + " release reads", next -> {
                next.readers[i].phase = READING;
                next.readers[i].isNew = isNew;
                next.readers[i].loaded = table(next);
            });
        }
    }

    /** A release reads only if nothing is stored, or can be, that it does not know. */
    private boolean mayRead(State now, boolean isNew) {
        for (int kind = 0; kind < kinds.size(); kind++) {
            if (!isFeature(kind) || isNew) {
                continue;
            }
            int least = !has(Rule.F1_A_RELEASE_WITHOUT_A_CODEC_READS_ONLY_AFTER_WRITERS_STOPPED_IT)
                    ? ALLOWED
                    : has(Rule.F2_IT_WAITS_LONGER_THAN_WRITERS_RELY_AND_HOLD_VALUES)
                            ? STOPPED + WAIT
                            : STOPPED + WAIT - 1;
            boolean isLeft =
                    (now.committed >> kind & 1) == 1 && has(Rule.F3_IT_READS_ONLY_WHEN_NO_VALUE_OF_THAT_CODEC_IS_LEFT);
            boolean isInserted = now.isInserted(kind) && has(Rule.F4_IT_WAITS_FOR_ROWS_THAT_ARE_NOT_COMMITTED);
            if (now.status[kind] < least || isLeft || isInserted) {
                return false;
            }
        }
        return true;
    }

    private void announce(State next, int i) {
        Reader reader = next.readers[i];
        reader.hasRow = true;
        reader.age = 0;
        reader.announced =
                has(Rule.R1_A_READER_ANNOUNCES_ONLY_WHAT_IT_HAS_LOADED) ? reader.loaded : reader.loaded | table(next);
    }

    /** The dictionaries that can be loaded. */
    private int table(State now) {
        int mask = 0;
        for (int kind = 0; kind < kinds.size(); kind++) {
            if (!isFeature(kind) && now.status[kind] != ABSENT) {
                mask |= 1 << kind;
            }
        }
        return mask;
    }

    private void operator(Steps steps) {
        State now = steps.now();
        for (int i = 0; i < kinds.size(); i++) {
            int kind = i;
            if ((now.committed >> kind & 1) == 1) {
                steps.add("all values of kind " + kind + " are encoded again", next -> next.committed &= ~(1 << kind));
            }
            if (isFeature(kind)) {
                if (now.status[kind] != ALLOWED) {
                    steps.add("feature " + kind + " is allowed", next -> next.status[kind] = ALLOWED);
                } else {
                    steps.add("feature " + kind + " is stopped", next -> next.status[kind] = STOPPED);
                }
            } else {
                dictionary(steps, now, kind);
            }
        }
    }

    private void dictionary(Steps steps, State now, int kind) {
        int status = now.status[kind];
        if (status != STORED) {
            steps.add("dictionary " + kind + " is added", next -> next.status[kind] = STORED);
        } else {
            steps.add("dictionary " + kind + " is withdrawn", next -> next.status[kind] = WITHDRAWN);
        }
        int least = !has(Rule.D1_A_DICTIONARY_IS_WITHDRAWN_BEFORE_IT_IS_DELETED)
                ? STORED
                : !has(Rule.D3_DELETION_COMES_SOME_TIME_AFTER_WITHDRAWAL)
                        ? WITHDRAWN
                        : has(Rule.D2_DELETION_COMES_LONGER_AFTER_WITHDRAWAL_THAN_WRITERS_RELY_AND_HOLD_VALUES)
                                ? WITHDRAWN + WAIT
                                : WITHDRAWN + WAIT - 1;
        boolean isUsed =
                (now.committed >> kind & 1) == 1 && has(Rule.D4_A_DICTIONARY_THAT_A_VALUE_REFERS_TO_IS_NOT_DELETED);
        boolean isInserted = now.isInserted(kind) && has(Rule.D5_DELETION_WAITS_FOR_ROWS_THAT_ARE_NOT_COMMITTED);
        if (status >= least && !isUsed && !isInserted) {
            steps.add("dictionary " + kind + " is deleted", next -> next.status[kind] = ABSENT);
        }
    }

    private void tick(State next) {
        for (int kind = 0; kind < kinds.size(); kind++) {
            int status = next.status[kind];
            int first = isFeature(kind) ? STOPPED : WITHDRAWN;
            next.status[kind] = status >= first ? Math.min(status + 1, first + WAIT) : status;
        }
        for (Writer writer : next.writers) {
            boolean isLate = writer.phase == PERMITTED
                            && writer.age == RELY
                            && has(Rule.W2_A_WRITER_RELIES_ON_WHAT_IT_READ_FOR_A_LIMITED_TIME)
                    || writer.phase == ENCODED
                            && writer.age == HOLD
                            && has(Rule.W5_AN_ENCODED_VALUE_IS_INSERTED_SOON_OR_DROPPED);
            if (isLate) {
                writer.set(NOTHING, 0);
            } else if (writer.phase == PERMITTED || writer.phase == ENCODED) {
                writer.age = Math.min(writer.age + 1, Math.max(RELY, HOLD));
            }
        }
        for (Reader reader : next.readers) {
            if (reader.phase != DOWN && reader.hasRow) {
                reader.age = Math.min(reader.age + 1, GONE);
            }
            boolean readsOn = reader.phase == READING
                    && !(has(Rule.R4_A_READER_THAT_WAS_SILENT_FOR_TOO_LONG_DOES_NOT_READ)
                            && has(Rule.R5_AFTER_SUCH_A_SILENCE_IT_BEGINS_ANEW));
            if (reader.age == GONE && !readsOn) {
                reader.stop();
            }
        }
    }
}
