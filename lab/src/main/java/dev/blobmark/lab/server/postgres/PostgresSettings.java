package dev.blobmark.lab.server.postgres;

import dev.blobmark.lab.environment.Durability;
import dev.blobmark.lab.environment.Environment;
import java.util.Map;
import java.util.TreeMap;

/** What an environment, which is in terms of InnoDB, is for a PostgreSQL that Blobmark starts. */
public final class PostgresSettings {

    private PostgresSettings() {}

    /**
     * Settings of its configuration: memory for pages as large as InnoDB's buffer pool, and what a commit waits for. With {@code lazy} a crash
     * loses what was committed in the last moments (three times wal_writer_delay, 0.6 s); with {@code none} it may lose all.
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
