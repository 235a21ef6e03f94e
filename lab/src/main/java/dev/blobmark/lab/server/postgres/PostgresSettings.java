package dev.blobmark.lab.server.postgres;

import dev.blobmark.lab.environment.Durability;
import dev.blobmark.lab.environment.Environment;
import java.util.Map;
import java.util.TreeMap;

/** Translates an environment, which has the terms of InnoDB, to settings of PostgreSQL. */
public final class PostgresSettings {

    private PostgresSettings() {}

    /**
     * Shared buffers of the size of InnoDB's buffer pool, and the durability. With {@code lazy}, a crash loses the
     * commits of the last 0.6 s (three times wal_writer_delay); with {@code none}, it may lose all data.
     */
    public static Map<String, String> of(Environment environment) {
        Map<String, String> settings = new TreeMap<>();
        settings.put("shared_buffers", environment.bufferPoolBytes() / 1024 + "kB");
        Durability durability = environment.durability();
        settings.put("synchronous_commit", durability == Durability.FULL ? "on" : "off");
        settings.put("fsync", durability == Durability.NONE ? "off" : "on");
        settings.put("full_page_writes", durability == Durability.NONE ? "off" : "on");
        return settings;
    }
}
