package dev.blobmark.lab.study;

import java.util.List;
import java.util.stream.Collectors;

/** A study that cannot be run. The message has a line for each problem. */
public final class StudyException extends RuntimeException {

    private final List<Problem> problems;

    public StudyException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    /** All problems, at least one, in the order of their places. */
    public List<Problem> problems() {
        return problems;
    }
}
