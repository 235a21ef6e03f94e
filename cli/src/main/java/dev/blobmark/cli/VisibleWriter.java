package dev.blobmark.cli;

import dev.blobmark.lab.run.Visible;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.Writer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What all that is printed passes: texts of servers, studies and runs of others must not move the cursor, write to the
 * clipboard or turn the direction of what is read. Colours and the clearing of a line are Blobmark's own and pass; who
 * puts a foreign text between them makes it {@link Visible} first.
 *
 * <p>Nothing is held back: a piece of text goes out as it comes, and an escape sequence must be in one piece.
 */
final class VisibleWriter extends FilterWriter {

    /** {@code CSI … m}, and what {@link Progress} begins its lines with. */
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
