package dev.blobmark.evidence.thief;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What a thief has obtained. Thread-safe counters. */
final class Loot {

    final LongAdder portsSeen = new LongAdder();
    final LongAdder portsTaken = new LongAdder();
    final LongAdder connections = new LongAdder();

    /** Bytes that clients sent to log in: user names, passwords, or hashes of these. */
    final LongAdder loginBytes = new LongAdder();

    final LongAdder logins = new LongAdder();
    final Set<String> passwords = ConcurrentHashMap.newKeySet();

    /** A line of numbers for the process that started the thief. */
    String line() {
        return "loot " + portsSeen.sum() + " " + portsTaken.sum() + " " + connections.sum() + " " + loginBytes.sum()
                + " " + passwords.size() + " " + logins.sum();
    }
}
