package dev.blobmark.lab.study;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;

/**
 * One method under one condition.
 *
 * @param id the levels that differ from the documented defaults, see {@link Vocabulary#identity}
 * @param method the id of the method
 * @param methodLevels the method's effective levels
 * @param condition the condition's effective levels
 * @param design all effective levels, typed
 */
public record Trial(
        String id,
        String method,
        Levels methodLevels,
        Levels condition,
        @JsonIgnore Design design) {

    @JsonCreator
    public Trial(String id, String method, Levels methodLevels, Levels condition) {
        this(id, method, methodLevels, condition, new Design(methodLevels.with(condition)));
    }

    /** All effective levels. */
    public Levels levels() {
        return design.levels();
    }
}
