package dev.blobmark.value.protocol;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Visits all states that a protocol can reach, those with the fewest actions first. */
final class Exploration {

    /** With the shortest way to it. */
    record Violation(String what, List<String> way) {}

    private final Protocol protocol;
    private long[] states = new long[1 << 16];
    private int[] parents = new int[1 << 16];
    private int count;

    /** Numbers of states, plus 1, by their hash. */
    private int[] slots = new int[1 << 18];

    Exploration(Protocol protocol) {
        this.protocol = protocol;
    }

    int states() {
        return count;
    }

    /** The first state that is wrong; empty if all were visited and none is. */
    Optional<Violation> run() {
        add(protocol.initial(), -1);
        for (int at = 0; at < count; at++) {
            Optional<String> wrong = protocol.violation(states[at]);
            if (wrong.isPresent()) {
                return Optional.of(new Violation(wrong.get(), way(at)));
            }
            int parent = at;
            protocol.successors(states[at], (action, state) -> add(state, parent));
        }
        return Optional.empty();
    }

    private void add(long state, int parent) {
        if (2 * count >= slots.length) {
            slots = new int[2 * slots.length];
            for (int i = 0; i < count; i++) {
                slots[slot(states[i])] = i + 1;
            }
        }
        int slot = slot(state);
        if (slots[slot] != 0) {
            return;
        }
        if (count == states.length) {
            states = Arrays.copyOf(states, 2 * count);
            parents = Arrays.copyOf(parents, 2 * count);
        }
        states[count] = state;
        parents[count] = parent;
        slots[slot] = ++count;
    }

    /** Where the state is, or would be. */
    private int slot(long state) {
        int slot = (int) (state * 0x9E3779B97F4A7C15L >>> 33) & slots.length - 1;
        while (slots[slot] != 0 && states[slots[slot] - 1] != state) {
            slot = slot + 1 & slots.length - 1;
        }
        return slot;
    }

    private List<String> way(int to) {
        List<String> way = new ArrayList<>();
        for (int at = to; parents[at] >= 0; at = parents[at]) {
            long target = states[at];
            String[] taken = {"?"};
            protocol.successors(states[parents[at]], (action, state) -> {
                if (state == target) {
                    taken[0] = action;
                }
            });
            way.add(taken[0] + ": " + Protocol.describe(target));
        }
        Collections.reverse(way);
        return way;
    }
}
