package dev.blobmark.lab.study;

/**
 * One thing that is wrong with a study.
 *
 * @param place in the file or among the options
 * @param what the reason
 * @param mend what to do about it; empty where the reason says it all
 */
public record Problem(Place place, String what, String mend) {

    /** {@code blob-fetch.yaml:12:9: unknown factor 'codek' in method 'gzip'; did you mean 'codec'?} */
    @Override
    public String toString() {
        return place + ": " + what + (mend.isEmpty() ? "" : "; " + mend);
    }
}
