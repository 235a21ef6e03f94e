package dev.blobmark.bench.guest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * How Blobmark may end after a fault, according to docs/guest.md and docs/commands.md.
 *
 * @param byStep exit codes, in the order of {@link Step}
 */
record Promise(List<Set<Integer>> byStep) {

    /** What a message must contain, by exit code. Messages of other codes are not checked. */
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

    /** @param codes one text per step, codes separated by spaces; empty for a step at which the fault cannot happen */
    static Promise of(String... codes) {
        List<Set<Integer>> all = new ArrayList<>();
        for (String text : codes) {
            Set<Integer> ofStep = new TreeSet<>();
            Arrays.stream(text.split(" "))
                    .filter(code -> !code.isEmpty())
                    .map(Integer::valueOf)
                    .forEach(ofStep::add);
            all.add(ofStep);
        }
        return new Promise(all);
    }

    Set<Integer> codes(Step step) {
        return byStep.get(step.ordinal());
    }

    /** The violations of an ended process, one sentence each. */
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
