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

    /** The reason of the outcome; empty only for {@link Measured}. */
    String reason();

    /** Whether the sample has figures. */
    boolean isMeasurement();

    /** The trial was steady after its warm-up, and was measured. */
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

    /** The trial was measured, but was not steady when the warm-up reached its time limit. */
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

    /**
     * The trial was measured in an open loop, but the server did not reach the rate. Latencies are those of overload.
     */
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

    /** The trial was not measured because of an error. */
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

    /** The trial was not measured because the server or platform lacks what the method needs. This is not an error. */
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

    /** Reads the outcome of a sample. */
    static Outcome of(String word, String reason) {
        return switch (word) {
            case "measured" -> new Measured();
            case "unsteady" -> new Unsteady(reason);
            case "saturated" -> new Saturated(reason);
            case "failed" -> new Failed(reason);
            case "unavailable" -> new Unavailable(reason);
            default ->
                throw new IllegalArgumentException("unknown outcome '" + word
                        + "'; it is one of measured, unsteady, saturated, failed, unavailable");
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
            throw new IllegalArgumentException("outcome: there must be a reason, except for 'measured'");
        }
    }
}
