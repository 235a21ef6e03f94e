package dev.blobmark.bench.guest;

import java.util.Locale;
import java.util.Set;

/** What happens to a server while a guest uses it, how it is undone, and how Blobmark may end. */
enum Fault {
    LOADING_KILLED(Promise.of("0 3", "3", "0 3 4 8", "0", "0 3")) {
        @Override
        void happen(Scene scene) throws Exception {
            scene.killFirst();
        }
    },
    WATCH_KILLED(Promise.of("", "0 8", "0 8", "0 8", "")) {
        @Override
        void happen(Scene scene) throws Exception {
            scene.killLocked();
        }
    },
    ALL_KILLED(Promise.of("0 3", "3 8", "0 3 4 8", "0 3 8", "0 3")) {
        @Override
        void happen(Scene scene) throws Exception {
            scene.killAll();
        }
    },
    /** Another session holds the lock that identifies a live run. */
    LOCK_TAKEN(Promise.of("6", "8", "8", "0 8", "0 6")) {
        @Override
        void happen(Scene scene) throws Exception {
            scene.killLocked();
            scene.takeLock();
        }
    },
    PRIVILEGES_WITHDRAWN(Promise.of("6", "0 3 4 6", "0 3 4 6", "0", "0 3 6")) {
        @Override
        void happen(Scene scene) throws Exception {
            scene.root().execute("REVOKE ALL PRIVILEGES, GRANT OPTION FROM 'guest'@'%'");
        }

        @Override
        void undo(Scene scene) throws Exception {
            scene.pair().grant(scene.root());
        }
    },
    ACCOUNT_LOCKED(Promise.of("3", "3 8", "0 3 4 8", "0 3 8", "3")) {
        @Override
        void happen(Scene scene) throws Exception {
            scene.root().execute("ALTER USER 'guest'@'%' ACCOUNT LOCK");
            scene.killAll();
        }

        @Override
        void undo(Scene scene) throws Exception {
            scene.root().execute("ALTER USER 'guest'@'%' ACCOUNT UNLOCK");
        }
    },
    DISK_FULL(Promise.of("6", "6", "0 4 6", "0", "0 6")) {
        @Override
        void happen(Scene scene) throws Exception {
            scene.pair().disk().fill();
        }

        @Override
        void undo(Scene scene) {
            scene.pair().disk().empty();
        }
    },
    READ_ONLY(Promise.of("6", "6", "0 4 6", "0 6", "6")) {
        @Override
        void happen(Scene scene) throws Exception {
            scene.readOnly(true);
        }

        @Override
        void undo(Scene scene) throws Exception {
            scene.readOnly(false);
        }
    },
    /** A command that has no session at this moment does not notice. */
    RESTARTED(Promise.of("0 3", "3 8", "0 3 4 8", "0 3 8", "0 3")) {
        @Override
        void happen(Scene scene) throws Exception {
            scene.restart();
        }
    },
    /** The roles of source and replica are swapped. The old source becomes read-only, and its sessions continue. */
    PROMOTED(Promise.of("0 6", "0 6 8", "0 6 8", "0 6 8", "0 6")) {
        @Override
        void happen(Scene scene) throws Exception {
            scene.pair().swapRoles();
        }

        @Override
        void undo(Scene scene) throws Exception {
            scene.pair().swapRolesBack();
        }
    },
    /** All tables move to another schema. This leaves an empty one without a marker, which Blobmark uses and keeps. */
    SCHEMA_RENAMED(Promise.of("", "4 6", "0 4 6", "0", "0 6")) {
        @Override
        void happen(Scene scene) throws Exception {
            scene.moveTables();
        }

        @Override
        void undo(Scene scene) throws Exception {
            scene.root().execute("DROP DATABASE blobmark_moved");
            scene.removeEmpty();
        }
    },
    /** Another user drops the schema, and creates one of the same name with other contents. */
    SCHEMA_REPLACED(Promise.of("6", "4 6 8", "0 4 6 8", "0 8", "0 6")) {
        @Override
        void happen(Scene scene) throws Exception {
            scene.root().execute("DROP DATABASE IF EXISTS blobmark").execute("CREATE DATABASE blobmark");
            scene.foreignObjects();
        }

        @Override
        void undo(Scene scene) throws Exception {
            scene.removeForeign();
        }
    },
    /** Another user creates objects in Blobmark's schema, among them a table with a name that the run will need. */
    TABLE_APPEARS(Promise.of("6", "4", "0", "0", "0 6")) {
        @Override
        void happen(Scene scene) throws Exception {
            scene.root().execute("CREATE DATABASE IF NOT EXISTS blobmark");
            scene.foreignObjects();
            scene.foreignTableOfRun();
        }

        @Override
        void undo(Scene scene) throws Exception {
            scene.removeForeign();
        }
    },
    /** The server's time zone changes by half a day, and the marker is dated 2099. */
    CLOCK_CHANGED(Promise.of("0", "0", "0", "0", "0")) {
        @Override
        void happen(Scene scene) throws Exception {
            scene.root().execute("SET GLOBAL time_zone = '-12:00'");
            scene.markerOf2099();
        }

        @Override
        void undo(Scene scene) throws Exception {
            scene.root().execute("SET GLOBAL time_zone = 'SYSTEM'");
        }
    },
    /** A marker names a foreign table in a foreign schema in which the account may drop; another has no valid date. */
    MARKER_FORGED(Promise.of("0", "", "", "", "0 6")) {
        @Override
        void happen(Scene scene) throws Exception {
            scene.forgeMarkers();
        }

        @Override
        void undo(Scene scene) throws Exception {
            scene.root().execute("DROP DATABASE staging").execute("DROP DATABASE planning");
        }
    };

    private final Promise promise;

    Fault(Promise promise) {
        this.promise = promise;
    }

    abstract void happen(Scene scene) throws Exception;

    /** Undoes the fault, like an administrator. */
    void undo(Scene scene) throws Exception {}

    String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The documented exit codes at a step; none if the fault cannot happen there. */
    Set<Integer> codes(Step step) {
        return promise.codes(step);
    }

    /** Whether it is also tested with a run that writes to the binary log. */
    boolean appliesToWritingRuns() {
        return switch (this) {
            case ALL_KILLED, READ_ONLY, RESTARTED, PROMOTED, SCHEMA_REPLACED -> true;
            default -> false;
        };
    }
}
