package dev.blobmark.cli;

import dev.blobmark.lab.run.RunJson;
import dev.blobmark.reencode.Reencoding;
import dev.blobmark.reencode.checkpoint.Verdict;
import dev.blobmark.reencode.terms.Outcome;
import dev.blobmark.reencode.terms.Progress;
import dev.blobmark.reencode.terms.ReencodeListener;
import dev.blobmark.reencode.verify.Verified;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What {@code blobmark reencode} prints: sentences for people, or a line of JSON for each event. */
final class ReencodeOutput implements ReencodeListener, AutoCloseable {

    private static final List<String> UNITS = List.of("bytes", "KB", "MB", "GB", "TB", "PB");

    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean isJson;
    private final ReencodeProgress progress;
    private volatile boolean hasProgressed;
    private volatile boolean isDropped;

    ReencodeOutput(PrintWriter out, PrintWriter err, boolean isJson) {
        this.out = out;
        this.err = err;
        this.isJson = isJson;
        progress = new ReencodeProgress(err, Terminal.columns());
    }

    boolean isJson() {
        return isJson;
    }

    PrintWriter out() {
        return out;
    }

    ReencodeProgress progress() {
        return progress;
    }

    @Override
    public void progressed(Progress now) {
        hasProgressed = true;
        if (isJson) {
            event("progress", now);
        } else {
            progress.progressed(now);
        }
    }

    @Override
    public void noticeIssued(String notice) {
        isDropped |= notice.equals(Reencoding.DROPPED);
        if (isJson) {
            event("notice", notice);
        } else {
            progress.noticeIssued(notice);
        }
    }

    void event(String kind, Object content) {
        print(RunJson.MAPPER.writeValueAsString(Map.of(kind, content)));
    }

    synchronized void print(String line) {
        out.println(line);
        out.flush();
    }

    /** A sentence. */
    void say(String line) {
        (isJson ? err : out).println(line);
    }

    /** Shows how a change, or its way back, has ended. */
    ExitCode ended(Outcome outcome, boolean isBack) {
        progress.close();
        Progress last = outcome.last();
        if (isBack && !hasProgressed) {
            say(isDropped ? "Taken back." : "It was taken back before; nothing was done.");
            return ExitCode.DONE;
        }
        if (!outcome.isComplete()) {
            err.println("Stopped after " + rows(last.rows()) + ", which are committed. The same command continues.");
            return ExitCode.INTERRUPTED;
        }
        say(String.format(
                Locale.ROOT,
                "%s: %,d of %s changed; %s before, %s now.%s",
                isBack ? "Taken back" : "Done",
                last.changed(),
                rows(last.rows()),
                bytes(last.bytesBefore()),
                bytes(last.bytesAfter()),
                last.overtaken() > 0
                        ? " " + rows(last.overtaken()) + " were changed by others meanwhile, and read again."
                        : ""));
        outcome.verdict().ifPresent(this::exchanged);
        if (!isBack) {
            say("  --verify  compares all values with those before");
            say("  --revert  takes the change back");
            say("  --finish  forgets it: then neither is possible");
        }
        return outcome.verdict().map(ReencodeOutput::code).orElse(ExitCode.DONE);
    }

    private void exchanged(Verdict verdict) {
        if (isJson) {
            event("exchanged", verdict);
        } else {
            say(sentence(verdict.inWords()));
            if (verdict.isOpen()) {
                say("Look at the rows in blobmark_reencode_differences, which has both contents, before --finish.");
            }
        }
    }

    private static String sentence(String words) {
        return Character.toUpperCase(words.charAt(0)) + words.substring(1) + ".";
    }

    private static ExitCode code(Verdict verdict) {
        return verdict.isOpen() ? ExitCode.DIFFERENCES : verdict.isClean() ? ExitCode.DONE : ExitCode.BROUGHT_OVER;
    }

    ExitCode verified(Verified verified) {
        if (isJson) {
            event("verified", verified);
        } else {
            say(inWords(verified));
            verified.exchange().forEach(verdict -> say(sentence(verdict.inWords())));
        }
        if (verified.unreadable() == 0) {
            return verified.exchange().stream().anyMatch(Verdict::isOpen) ? ExitCode.DIFFERENCES : ExitCode.DONE;
        }
        if (!isJson) {
            say(rows(verified.unreadable()) + " cannot be decoded, the first one with the key "
                    + verified.firstUnreadable() + ".");
        }
        return ExitCode.ERROR;
    }

    static String inWords(Verified verified) {
        long others = verified.ranges() - verified.same();
        if (verified.ranges() == 0) {
            return "No rows were changed: there is nothing to compare.";
        }
        return others == 0
                ? String.format(
                        Locale.ROOT,
                        "All %,d ranges (%s) hold the same values as before.",
                        verified.ranges(),
                        rows(verified.rows()))
                : String.format(
                        Locale.ROOT,
                        "%,d of %,d ranges (%s) hold the same values as before. In %,d, values were changed, added or"
                                + " deleted since.",
                        verified.same(),
                        verified.ranges(),
                        rows(verified.rows()),
                        others);
    }

    private static String rows(long rows) {
        return String.format(Locale.ROOT, rows == 1 ? "%,d row" : "%,d rows", rows);
    }

    /** {@code 290 bytes}, {@code 8.3 MB}, {@code 75 MB}: a KB has 1024 bytes. */
    static String bytes(long bytes) {
        double shown = bytes;
        int unit = 0;
        while (shown >= 999.5 && unit < UNITS.size() - 1) {
            shown /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, unit > 0 && shown < 9.95 ? "%.1f %s" : "%.0f %s", shown, UNITS.get(unit));
    }

    @Override
    public void close() {
        progress.close();
    }
}
