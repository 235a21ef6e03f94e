package dev.blobmark.cli;

import dev.blobmark.lab.run.Visible;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.Writer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Filters all output: texts of servers, studies and runs of others must not move the cursor, write to the clipboard or
 * turn the direction of what is read. Colours and the clearing of a line are Blobmark's own and pass; code that puts a
 * foreign text between them must make it {@link Visible} first.
 *
 * <p>Nothing is buffered: an escape sequence must be written in one piece.
 */
final class VisibleWriter extends FilterWriter {

    /** {@code CSI … m}, and the start of {@link RunProgress}'s lines. */
    private static final Pattern OWN = Pattern.compile("\r?\u001b\\[K|\u001b\\[\\d{0,3}(;\\d{1,3}){0,4}m");

    VisibleWriter(Writer out) {
        super(out);
    }

    @Override
    public void write(int c) throws IOException {
        write(Character.toString(c), 0, 1);
    }

    @Override
    public void write(char[] text, int start, int length) throws IOException {
        write(new String(text, start, length), 0, length);
    }

    @Override
    public void write(String text, int start, int length) throws IOException {
        String piece = text.substring(start, start + length);
        Matcher own = OWN.matcher(piece);
        int from = 0;
        while (own.find()) {
            out.write(Visible.of(piece.substring(from, own.start())));
            out.write(own.group());
            from = own.end();
        }
        out.write(Visible.of(piece.substring(from)));
    }
}
