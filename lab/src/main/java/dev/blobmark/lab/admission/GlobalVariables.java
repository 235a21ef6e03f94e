package dev.blobmark.lab.admission;

import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The global variables of a server, by name. */
record GlobalVariables(Map<String, String> all) {

    /** The value, empty if the server does not have the variable. */
    String get(String name) {
        return all.getOrDefault(name, "");
    }

    boolean has(String name) {
        return all.containsKey(name);
    }

    boolean isOn(String name) {
        return !Set.of("", "OFF", "0").contains(get(name).toUpperCase(Locale.ROOT));
    }

    /** Whether the binary log contains rows of NDB from all SQL nodes. */
    boolean isLoggingNdb() {
        return isOn("log_bin") && isOn("ndb_log_bin");
    }
}
