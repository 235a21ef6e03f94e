package dev.blobmark.report;

import dev.blobmark.advice.Advice.Entry;
import dev.blobmark.advice.AdviceQuestion;

/** Short names of candidates and loads. */
final class AdviceWords {

    private AdviceWords() {}

    /** {@code 64 threads}, {@code 64 threads on 8 hosts}. */
    static String threads(AdviceQuestion question, int threads) {
        return Figures.plural(threads, "thread")
                + (question.hosts().isPresent()
                        ? " on " + Figures.plural(question.hosts().getAsInt(), "host")
                        : "");
    }

    /** The codec as it is written elsewhere, {@code zstd:-1}; otherwise the candidate's id. */
    static String of(Entry entry) {
        return entry.candidate().isPredictable() ? entry.candidate().codec().orElse(entry.id()) : entry.id();
    }
}
