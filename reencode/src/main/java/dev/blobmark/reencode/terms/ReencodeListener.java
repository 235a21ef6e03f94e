package dev.blobmark.reencode.terms;

/** Receives what happens during a change, on the thread that works. */
public interface ReencodeListener {

    /** About once a second, and at the end. */
    void progressed(Progress progress);

    /** A line for the user. */
    void noticeIssued(String notice);
}
