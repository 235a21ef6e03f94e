package dev.blobmark.bench.reencode.tokens;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The value of a row: a list of tokens. The oldest ones are only counted. A token is the number of a worker and how
 * often that worker has appended to this list before. All bytes follow from that, so a value shows by itself whether it
 * is one that was written, and who wrote it by which operation.
 *
 * @param id of the row
 * @param before tokens of each worker that are no longer written out
 * @param tokens the last ones, oldest first
 */
record TokenList(int id, int[] before, int[] tokens) {

    static final int MOST_WORKERS = 64;
    private static final int SEQUENCE_BITS = 24;
    private static final int MOST_TOKENS = 48;
    private static final int DROPPED = 24;
    private static final String WORDS = "the order was paid and sent to the customer at the place of delivery ";

    static TokenList empty(int id, int workers) {
        return new TokenList(id, new int[workers], new int[0]);
    }

    static int token(int worker, int sequence) {
        if (sequence >= 1 << SEQUENCE_BITS) {
            throw new IllegalArgumentException("token " + sequence + " of a list; use more lists");
        }
        return worker << SEQUENCE_BITS | sequence;
    }

    static int worker(int token) {
        return token >>> SEQUENCE_BITS;
    }

    static int sequence(int token) {
        return token & (1 << SEQUENCE_BITS) - 1;
    }

    /** Number of tokens that were ever appended. */
    int length() {
        return first() + tokens.length;
    }

    /** Place of the first token that is written out. */
    int first() {
        return Arrays.stream(before).sum();
    }

    /** Tokens that a worker has appended. */
    int count(int worker) {
        int count = before[worker];
        for (int token : tokens) {
            count += worker(token) == worker ? 1 : 0;
        }
        return count;
    }

    TokenList append(int worker) {
        int[] longer = Arrays.copyOf(tokens, tokens.length + 1);
        longer[tokens.length] = token(worker, count(worker));
        if (longer.length <= MOST_TOKENS) {
            return new TokenList(id, before, longer);
        }
        int[] counts = before.clone();
        for (int i = 0; i < DROPPED; i++) {
            counts[worker(longer[i])]++;
        }
        return new TokenList(id, counts, Arrays.copyOfRange(longer, DROPPED, longer.length));
    }

    byte[] bytes() {
        StringBuilder text = new StringBuilder(1_000).append(id).append(';');
        for (int count : before) {
            text.append(count).append(',');
        }
        text.append(';');
        for (int token : tokens) {
            text.append(worker(token)).append(':').append(sequence(token)).append(' ');
        }
        text.append(';').append(filler());
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    private String filler() {
        int length = Math.floorMod(id * 31 + length() * 7, 400);
        return WORDS.repeat(length / WORDS.length() + 1).substring(0, length);
    }

    /** @throws IllegalArgumentException if it is not a value that was written */
    static TokenList parse(byte[] value) {
        String[] parts = new String(value, StandardCharsets.US_ASCII).split(";", -1);
        if (parts.length != 4) {
            throw new IllegalArgumentException("no list of tokens: " + parts[0]);
        }
        int[] before =
                Arrays.stream(parts[1].split(",")).mapToInt(Integer::parseInt).toArray();
        int[] tokens = parts[2].isEmpty()
                ? new int[0]
                : Arrays.stream(parts[2].split(" "))
                        .mapToInt(each -> {
                            int colon = each.indexOf(':');
                            return token(
                                    Integer.parseInt(each.substring(0, colon)),
                                    Integer.parseInt(each.substring(colon + 1)));
                        })
                        .toArray();
        TokenList list = new TokenList(Integer.parseInt(parts[0]), before, tokens);
        if (!Arrays.equals(list.bytes(), value)) {
            throw new IllegalArgumentException("a list with other bytes than were written");
        }
        return list;
    }
}
