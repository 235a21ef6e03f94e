package dev.blobmark.cli.shards;

import dev.blobmark.lab.run.RunJson;
import dev.blobmark.reencode.terms.Progress;
import dev.blobmark.reencode.verify.Verified;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * An event of a {@link ShardProcess}, which may be on another host: an object with one field. What it says is not known
 * to be true, but it can be used: figures are not negative, and not larger than a table can be.
 *
 * @param kind the name of the field
 * @param json its content as it was sent
 */
public record ShardEvent(String kind, JsonNode json, EventContent content) {

    private static final Set<String> OTHERS = Set.of("exchanged", "forgotten");

    /** More than the rows or bytes of a table of MySQL; a thousand of these can be added up. */
    private static final double MOST = 0x1p53;

    /** What is used of an event. */
    public sealed interface EventContent permits Looked, Working, Notice, VerifiedEvent, Other {}

    /** Of {@code preview}. */
    public record Looked(long rows, double bytes, double bytesAfter, List<String> problems) implements EventContent {
        public Looked {
            problems = List.copyOf(problems);
            require(rows, bytes, bytesAfter);
        }
    }

    public record Working(Progress progress) implements EventContent {
        public Working {
            Objects.requireNonNull(progress.step());
            require(
                    progress.rows(),
                    progress.tableRows(),
                    progress.changed(),
                    progress.overtaken(),
                    progress.bytesBefore(),
                    progress.bytesAfter(),
                    progress.binlogBytes());
        }
    }

    public record Notice(String text) implements EventContent {}

    public record VerifiedEvent(Verified verified) implements EventContent {
        public VerifiedEvent {
            Objects.requireNonNull(verified.firstUnreadable());
            List.copyOf(verified.exchange());
            require(verified.ranges(), verified.same(), verified.rows(), verified.unreadable());
            if (verified.same() > verified.ranges()) {
                throw new IllegalArgumentException("more ranges are the same than there are");
            }
        }
    }

    public record Other() implements EventContent {}

    private static void require(double... figures) {
        for (double figure : figures) {
            if (!(figure >= 0 && figure <= MOST)) {
                throw new IllegalArgumentException("the figure " + figure + " is impossible");
            }
        }
    }

    /** @throws IllegalArgumentException if it is not one; the message says why */
    static ShardEvent of(String line) {
        try {
            JsonNode event = RunJson.MAPPER.readTree(line);
            if (event.properties().size() != 1) {
                throw new IllegalArgumentException("an event has one field");
            }
            Map.Entry<String, JsonNode> field = event.properties().iterator().next();
            return new ShardEvent(field.getKey(), field.getValue(), content(field.getKey(), field.getValue()));
        } catch (JacksonException | NullPointerException e) { // of a field that is missing
            throw new IllegalArgumentException(
                    String.valueOf(e.getMessage()).lines().findFirst().orElse(""), e);
        }
    }

    private static EventContent content(String kind, JsonNode json) {
        return switch (kind) {
            case "preview" -> RunJson.MAPPER.treeToValue(json, Looked.class);
            case "progress" -> new Working(RunJson.MAPPER.treeToValue(json, Progress.class));
            case "notice" -> new Notice(RunJson.MAPPER.treeToValue(json, String.class));
            case "verified" -> new VerifiedEvent(RunJson.MAPPER.treeToValue(json, Verified.class));
            default -> {
                if (!OTHERS.contains(kind)) {
                    throw new IllegalArgumentException("there is no such event");
                }
                yield new Other();
            }
        };
    }
}
