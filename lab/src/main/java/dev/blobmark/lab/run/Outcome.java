package dev.blobmark.lab.run;

import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.util.StdConverter;

/** How a trial ended in one round. */
@JsonSerialize(converter = Outcome.ToForm.class)
@JsonDeserialize(converter = Outcome.FromForm.class)
public sealed interface Outcome {

    /** As written in a sample. */
    String word();

    /** Why; empty only where all went well. */
    String reason();

    /** Whether there are figures. */
    boolean isMeasurement();

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

        @Override
        public boolean isMeasurement() {
            return true;
        }
    }

    /** Measured, though the warm-up reached its cap before the trial was steady. */
    record Unsteady(String reason) implements Outcome {

        public Unsteady {
            requireReason(reason);
        }

        @Override
        public String word() {
            return "unsteady";
        }

        @Override
        public boolean isMeasurement() {
            return true;
        }
    }

    /** Measured, but the operations that were offered could not all be done in time: latencies are those of an overload. */
    record Saturated(String reason) implements Outcome {

        public Saturated {
            requireReason(reason);
        }

        @Override
        public String word() {
            return "saturated";
        }

        @Override
        public boolean isMeasurement() {
            return true;
        }
    }

    /** Not measured: something went wrong that should not. */
    record Failed(String reason) implements Outcome {

        public Failed {
            requireReason(reason);
        }

        @Override
        public String word() {
            return "failed";
        }

        @Override
        public boolean isMeasurement() {
            return false;
        }
    }

    /** Not measured: this server or platform does not have what the method needs. No failure. */
    record Unavailable(String reason) implements Outcome {

        public Unavailable {
            requireReason(reason);
        }

        @Override
        public String word() {
            return "unavailable";
        }

        @Override
        public boolean isMeasurement() {
            return false;
        }
    }

    /** The outcome as a sample states it. */
    static Outcome of(String word, String reason) {
        return switch (word) {
            case "measured" -> new Measured();
            case "unsteady" -> new Unsteady(reason);
            case "saturated" -> new Saturated(reason);
            case "failed" -> new Failed(reason);
            case "unavailable" -> new Unavailable(reason);
            default ->
                throw new IllegalArgumentException(
                        "outcome '" + word + "' is none of measured, unsteady, saturated, failed, unavailable");
        };
    }

    /** An outcome in a file or a message. */
    record Form(String word, String reason) {}

    final class ToForm extends StdConverter<Outcome, Form> {
        @Override
        public Form convert(Outcome outcome) {
            return new Form(outcome.word(), outcome.reason());
        }
    }

    final class FromForm extends StdConverter<Form, Outcome> {
        @Override
        public Outcome convert(Form form) {
            return Outcome.of(form.word, form.reason);
        }
    }

    private static void requireReason(String reason) {
        if (reason.isBlank()) {
            throw new IllegalArgumentException("an outcome other than measured has a reason");
        }
    }
}
