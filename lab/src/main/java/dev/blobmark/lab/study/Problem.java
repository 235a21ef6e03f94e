package dev.blobmark.lab.study;

/**
 * One thing that is wrong with a study.
 *
 * @param place in the file or among the options
 * @param remedy what to do; empty if the reason states it
 */
public record Problem(Place place, String reason, String remedy) {

    /** {@code blob-fetch.yaml:12:9: unknown factor 'codek' in method 'gzip'; did you mean 'codec'?} */
    @Override
    public String toString() {
        return place + ": " + reason + (remedy.isEmpty() ? "" : "; " + remedy);
    }
}
