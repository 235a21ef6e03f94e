package dev.blobmark.bench.thief;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What a thief has got. May be used by several threads. */
final class Loot {

    final LongAdder portsSeen = new LongAdder();
    final LongAdder portsTaken = new LongAdder();
    final LongAdder connections = new LongAdder();

    /** Bytes that answer a request for a login: a user's name, a password, or what is computed of it. */
    final LongAdder loginBytes = new LongAdder();

    final LongAdder logins = new LongAdder();
    final Set<String> passwords = ConcurrentHashMap.newKeySet();

    /** A line of numbers for the process that has started the thief. */
    String line() {
        return "loot " + portsSeen.sum() + " " + portsTaken.sum() + " " + connections.sum() + " " + loginBytes.sum()
                + " " + passwords.size() + " " + logins.sum();
    }
}
