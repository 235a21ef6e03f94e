package dev.blobmark.lab.study;

/**
 * One method under one condition.
 *
 * @param id canonical over the factors that differ from the documented defaults
 * @param method the id of the method
 * @param methodLevels the method's effective levels
 * @param condition the condition's effective levels
 */
public record Trial(String id, String method, Levels methodLevels, Levels condition) {

    /** All effective levels of the trial. */
    public Levels levels() {
        return methodLevels.with(condition);
    }
}
