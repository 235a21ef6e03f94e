package dev.blobmark.lab.run;

/** How a trial ended in one round. */
public sealed interface Outcome {

    /** As written in a sample. */
    String word();

    /** Why; empty where all went well. */
    String reason();

    /** Measured, after the trial had become steady. */
    record Measured() implements Outcome {
        @Override
        public String word() {
            return "measured";
        }

        @Override
        public String reason() {
            return "";
        }
    }

    /** Measured, though the warm-up reached its cap before the trial was steady. */
    record Unsteady(String reason) implements Outcome {
        @Override
        public String word() {
            return "unsteady";
        }
    }

    /** Not measured: something went wrong that should not. */
    record Failed(String reason) implements Outcome {
        @Override
        public String word() {
            return "failed";
        }
    }

    /** Not measured: this server or platform does not have what the method needs. No failure. */
    record Unavailable(String reason) implements Outcome {
        @Override
        public String word() {
            return "unavailable";
        }
    }
}
