package dev.blobmark.bench.guest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * How Blobmark may end under a fault, by docs/guest.md and README.md.
 *
 * @param byStep exit codes, in the order of {@link Step}
 */
record Promise(List<Set<Integer>> byStep) {

    /** What a message must have, by exit code; a message of another code is free. */
    private static final Map<Integer, Pattern> MESSAGES = Map.of(
            3, Pattern.compile("(?i)lost|refused|connect|gone|closed|killed|locked|nothing listens"),
            6,
                    Pattern.compile(
                            "(?i)read.only|grant|denied|room|not Blobmark's|of this run|another|replica|stays|cannot"),
            8, Pattern.compile("(?i)watch|lock|load"));

    private static final Pattern BROKEN = Pattern.compile("internal error|\\n\\s+at [a-z]+\\.|Exception in thread");

    Promise {
        byStep = List.copyOf(byStep);
        if (byStep.size() != Step.values().length) {
            throw new IllegalArgumentException("codes of " + byStep.size() + " steps, not " + Step.values().length);
        }
    }

    /** @param codes a text for each step, with spaces between codes; empty for a step that the fault cannot be at */
    static Promise of(String... codes) {
        List<Set<Integer>> all = new ArrayList<>();
        for (String text : codes) {
            Set<Integer> some = new TreeSet<>();
            Arrays.stream(text.split(" "))
                    .filter(code -> !code.isEmpty())
                    .map(Integer::valueOf)
                    .forEach(some::add);
            all.add(some);
        }
        return new Promise(all);
    }

    Set<Integer> codes(Step step) {
        return byStep.get(step.ordinal());
    }

    /** What is wrong with an end, a sentence each. */
    static List<String> violations(Set<Integer> codes, int code, String output) {
        List<String> wrong = new ArrayList<>();
        String last = output.substring(output.lastIndexOf('\n', Math.max(0, output.length() - 2)) + 1);
        if (!codes.contains(code)) {
            wrong.add("exit code " + code + " instead of " + codes + ": " + last);
        }
        if (BROKEN.matcher(output).find()) {
            wrong.add("no message, but an internal error: " + last);
        } else if (MESSAGES.containsKey(code)
                && !MESSAGES.get(code).matcher(output).find()) {
            wrong.add("the message does not say why: " + last);
        }
        return wrong;
    }
}
