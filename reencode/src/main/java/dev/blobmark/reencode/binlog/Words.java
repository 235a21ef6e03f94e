package dev.blobmark.reencode.binlog;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The words of a statement. Comments are left out, except those whose content is executed. */
final class Words {

    private static final long NO_BACKSLASH_ESCAPES = 1L << 20;
    private static final int ASCII = 0x80;

    private final String sql;
    private final long sqlMode;

    /**
     * @param sql bytes as characters from 0 to 255
     * @param sqlMode of the session
     */
    Words(String sql, long sqlMode) {
        this.sql = sql;
        this.sqlMode = sqlMode;
    }

    /**
     * A word, a quoted name, or a character.
     *
     * @param text without quotes; bytes as characters from 0 to 255
     * @param isName whether it may be the name of something
     * @param isQuoted whether it was quoted, and so is no keyword
     */
    record Token(String text, boolean isName, boolean isQuoted) {

        boolean is(String keyword) {
            return !isQuoted && text.equals(keyword);
        }

        String upper() {
            return isQuoted ? "" : text.toUpperCase(Locale.ROOT);
        }
    }

    /** Empty if a string or a comment has no end. */
    Optional<List<Token>> tokens() {
        List<Token> tokens = new ArrayList<>();
        int at = 0;
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (Character.isWhitespace(c)) {
                at++;
            } else if (sql.startsWith("/*!", at) || sql.startsWith("/*M!", at)) { // its content is executed
                at = afterDigits(sql.indexOf('!', at) + 1);
            } else if (sql.startsWith("/*", at)) {
                int end = sql.indexOf("*/", at + 2);
                if (end < 0) {
                    return Optional.empty();
                }
                at = end + 2;
            } else if (sql.startsWith("*/", at)) {
                at += 2;
            } else if (c == '#' || sql.startsWith("--", at) && (at + 2 == sql.length() || sql.charAt(at + 2) <= ' ')) {
                int end = sql.indexOf('\n', at);
                at = end < 0 ? sql.length() : end;
            } else if (c == '`' || c == '\'' || c == '"') {
                Optional<Integer> end = afterQuotes(at, c);
                if (end.isEmpty()) {
                    return Optional.empty();
                }
                String text = sql.substring(at + 1, end.get() - 1).replace("" + c + c, "" + c);
                tokens.add(new Token(text, c != '\'', true)); // " quotes names with ANSI_QUOTES
                at = end.get();
            } else if (isWord(c)) {
                int end = at + 1;
                while (end < sql.length() && isWord(sql.charAt(end))) {
                    end++;
                }
                tokens.add(new Token(sql.substring(at, end), true, false));
                at = end;
            } else {
                tokens.add(new Token(String.valueOf(c), false, false));
                at++;
            }
        }
        return Optional.of(tokens);
    }

    private int afterDigits(int from) {
        int at = from;
        while (at < sql.length() && Character.isDigit(sql.charAt(at))) {
            at++;
        }
        return at;
    }

    /** The place after the end of a string or a quoted name. */
    private Optional<Integer> afterQuotes(int from, char quote) {
        int at = from + 1;
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (c == '\\' && quote != '`' && (sqlMode & NO_BACKSLASH_ESCAPES) == 0) {
                at += 2;
            } else if (c == quote) {
                if (at + 1 < sql.length() && sql.charAt(at + 1) == quote) {
                    at += 2;
                } else {
                    return Optional.of(at + 1);
                }
            } else {
                at++;
            }
        }
        return Optional.empty();
    }

    private static boolean isWord(char c) {
        return c >= ASCII || c == '_' || c == '$' || Character.isLetterOrDigit(c);
    }
}
