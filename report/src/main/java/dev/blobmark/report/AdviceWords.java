package dev.blobmark.report;

import dev.blobmark.advice.Advice.Entry;

/** Short names of candidates. */
final class AdviceWords {

    private AdviceWords() {}

    /** The codec as it is written elsewhere, {@code zstd:-1}; otherwise the candidate's id. */
    static String of(Entry entry) {
        return entry.candidate().isPredictable() ? entry.candidate().codec().orElse(entry.id()) : entry.id();
    }
}
