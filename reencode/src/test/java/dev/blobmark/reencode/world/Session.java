package dev.blobmark.reencode.world;

import java.util.LinkedHashSet;
import java.util.Set;

/** A session of the model. */
final class Session {

    final String name;

    /** Whose client it is; null for others. */
    final Process process;

    /** Null while no transaction is open. */
    Transaction transaction;

    /** By LOCK TABLES. */
    final Set<Table> locked = new LinkedHashSet<>();

    boolean isDead;

    Session(String name, Process process) {
        this.name = name;
        this.process = process;
    }

    @Override
    public String toString() {
        return name;
    }
}
