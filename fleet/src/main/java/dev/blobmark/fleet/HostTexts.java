package dev.blobmark.fleet;

import dev.blobmark.fleet.host.ViolationException;
import dev.blobmark.lab.fork.ForkMessage;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/** Texts of hosts, which are shown and stored: they are short, and have no control characters. */
final class HostTexts {

    /** Of a text. */
    private static final int MOST_CHARACTERS = 2_000;

    /** Of a message. */
    private static final int MOST_TEXTS = 2_000;

    /** Of what a process has printed. */
    private static final int MOST_PRINTED_CHARACTERS = 8_000;

    private int texts;

    private HostTexts() {}

    /** A text without what a terminal obeys, cut if it is long. */
    static String shown(String text) {
        return shown(text, MOST_CHARACTERS);
    }

    private static String shown(String text, int most) {
        String begin = text.length() <= most ? text : text.substring(0, most) + "…";
        return begin.codePoints()
                .map(each -> isVisible(each) ? each : '?')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static boolean isVisible(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT, // changes the direction of what follows, among others
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    /** The last lines of what a process has printed. */
    static byte[] printed(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        return text.substring(Math.max(0, text.length() - MOST_PRINTED_CHARACTERS))
                .lines()
                .map(line -> shown(line.replace('\t', ' ')))
                .collect(Collectors.joining("\n", "", "\n"))
                .getBytes(StandardCharsets.UTF_8);
    }

    /**
     * A message of a measuring JVM, with such texts only.
     *
     * @throws ViolationException if a name in it is none, or it has too many texts
     * @throws RuntimeException if the line is no message
     */
    static ForkMessage message(String line) throws ViolationException {
        JsonNode tree = ForkMessage.MAPPER.readTree(line);
        HostTexts texts = new HostTexts();
        if (tree.get("run") instanceof ObjectNode run) {
            JsonNode histograms = run.remove("latency"); // encoded, and checked when they are decoded
            texts.shorten(tree);
            if (histograms != null) {
                run.set("latency", histograms);
            }
        } else {
            texts.shorten(tree);
        }
        return ForkMessage.MAPPER.treeToValue(tree, ForkMessage.class);
    }

    private void shorten(JsonNode node) throws ViolationException {
        if (node instanceof ObjectNode object) {
            for (String name : object.propertyNames()) {
                if (!name.equals(shown(name))) {
                    throw new ViolationException("a name that is too long or has control characters");
                }
                if (object.get(name) instanceof StringNode text) {
                    object.put(name, counted(text.stringValue()));
                } else {
                    shorten(object.get(name));
                }
            }
        } else if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                if (array.get(i) instanceof StringNode text) {
                    array.set(i, counted(text.stringValue()));
                } else {
                    shorten(array.get(i));
                }
            }
        }
    }

    private String counted(String text) throws ViolationException {
        if (++texts > MOST_TEXTS) {
            throw new ViolationException("a message with more than " + MOST_TEXTS + " texts");
        }
        return shown(text);
    }
}
