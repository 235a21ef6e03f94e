package dev.blobmark.lab.run;

/**
 * Text of servers, studies and runs of others, as it may be shown: characters that a terminal or an editor would obey, and not
 * show, are written as escapes, a backslash with {@code u} and four hexadecimal digits. Line ends and tabs stay.
 */
public final class Visible {

    private Visible() {}

    public static String of(String text) {
        if (text.chars().noneMatch(Visible::isHidden)) {
            return text;
        }
        StringBuilder shown = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean isLineEnd = c == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n';
            if (isHidden(c) && !isLineEnd) {
                shown.append(String.format("\\u%04x", (int) c));
            } else {
                shown.append(c);
            }
        }
        return shown.toString();
    }

    /** Control characters (C0, DEL and C1), those that change the direction of text, and the separators of lines and paragraphs. */
    public static boolean isHidden(int c) {
        return c < 0x20 && c != '\n' && c != '\t'
                || c >= 0x7f && c <= 0x9f
                || c >= 0x202a && c <= 0x202e
                || c >= 0x2066 && c <= 0x2069
                || c == 0x200e
                || c == 0x200f
                || c == 0x061c
                || c == 0x2028
                || c == 0x2029;
    }
}
