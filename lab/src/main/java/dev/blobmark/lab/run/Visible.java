package dev.blobmark.lab.run;

/**
 * Makes text of other people's servers, studies and runs safe to show. Characters that control a terminal or an editor
 * are replaced by escapes: a backslash, {@code u} and four hexadecimal digits. Line ends and tabs are not replaced.
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

    /** Control characters (C0, DEL, C1), changes of the direction of text, and separators of lines and paragraphs. */
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
