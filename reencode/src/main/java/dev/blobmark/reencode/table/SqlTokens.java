package dev.blobmark.reencode.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The tokens of a statement or an expression of MySQL or MariaDB, as far as names must be distinguished from strings,
 * variables and comments. What is in comments that servers execute ({@code /*!80023 … *}{@code /}, {@code /*M!100301 …
 * *}{@code /}) belongs to the statement.
 */
public final class SqlTokens {

    /** What a token is. */
    enum Kind {
        /** A keyword, or a name without quotes. */
        WORD,
        /** A name in quotes. */
        NAME,
        STRING,
        NUMBER,
        /** A variable with its {@code @}. */
        VARIABLE,
        /** One character of any other kind. */
        SYMBOL
    }

    /**
     * A token.
     *
     * @param text of names and strings without quotes and escapes
     * @param begin place of its first character
     * @param end place after its last character
     */
    public record Token(Kind kind, String text, int begin, int end) {

        boolean isWord(String word) {
            return kind == Kind.WORD && text.equalsIgnoreCase(word);
        }

        boolean isSymbol(char symbol) {
            return kind == Kind.SYMBOL && text.charAt(0) == symbol;
        }

        /** Equal for tokens that mean the same. */
        String normal() {
            return switch (kind) {
                case WORD -> text.toUpperCase(Locale.ROOT);
                case NAME -> Names.quoted(text);
                case STRING -> "'" + text.replace("'", "''") + "'";
                default -> text;
            };
        }
    }

    private final String sql;
    private final boolean isDoubleQuoteName;
    private final boolean isBackslashEscape;
    private final List<Token> tokens = new ArrayList<>();
    private int at;
    private boolean isInExecutedComment;

    private SqlTokens(String sql, String sqlMode) {
        this.sql = sql;
        String modes = "," + sqlMode.toUpperCase(Locale.ROOT) + ",";
        isDoubleQuoteName = modes.contains(",ANSI_QUOTES,");
        isBackslashEscape = !modes.contains(",NO_BACKSLASH_ESCAPES,");
    }

    /**
     * The tokens of a text.
     *
     * @param sqlMode modes under which the server reads it, separated by commas; those that matter are
     *     {@code ANSI_QUOTES} and {@code NO_BACKSLASH_ESCAPES}
     * @throws IllegalArgumentException if a string, a name or a comment does not end
     */
    public static List<Token> of(String sql, String sqlMode) {
        SqlTokens all = new SqlTokens(sql, sqlMode);
        while (all.at < sql.length()) {
            all.next();
        }
        return List.copyOf(all.tokens);
    }

    /** Those of a text that the server wrote for a session with the settings of Blobmark. */
    public static List<Token> of(String sql) {
        return of(sql, "");
    }

    /** Whether a text has a name, in any case of letters. */
    public static boolean mentions(List<Token> tokens, String name) {
        return tokens.stream()
                .anyMatch(token -> (token.kind() == Kind.WORD || token.kind() == Kind.NAME)
                        && token.text().equalsIgnoreCase(name));
    }

    private void next() {
        char c = sql.charAt(at);
        if (Character.isWhitespace(c)) {
            at++;
        } else if (c == '#' || isDashComment()) {
            int end = sql.indexOf('\n', at);
            at = end < 0 ? sql.length() : end + 1;
        } else if (sql.startsWith("/*", at)) {
            beginComment();
        } else if (isInExecutedComment && sql.startsWith("*/", at)) {
            isInExecutedComment = false;
            at += 2;
        } else if (c == '`' || c == '"' && isDoubleQuoteName) {
            quoted(Kind.NAME, c, false);
        } else if (c == '\'' || c == '"') {
            quoted(Kind.STRING, c, isBackslashEscape);
        } else if (c == '@') {
            variable();
        } else if (isOfWord(c)) {
            int begin = at;
            String word = word();
            tokens.add(new Token(word.matches("[0-9]+") ? Kind.NUMBER : Kind.WORD, word, begin, at));
        } else {
            tokens.add(new Token(Kind.SYMBOL, String.valueOf(c), at, ++at));
        }
    }

    /** Two dashes begin a comment only before a space or a control character. */
    private boolean isDashComment() {
        return sql.startsWith("--", at) && (at + 2 == sql.length() || sql.charAt(at + 2) <= ' ');
    }

    private void beginComment() {
        int code = sql.startsWith("/*!", at) ? 3 : sql.startsWith("/*M!", at) ? 4 : 0;
        if (code == 0) {
            int end = sql.indexOf("*/", at + 2);
            if (end < 0) {
                throw unended("comment", at);
            }
            at = end + 2;
            return;
        }
        at += code;
        while (at < sql.length() && Character.isDigit(sql.charAt(at))) {
            at++;
        }
        isInExecutedComment = true;
    }

    private void variable() {
        int begin = at;
        while (at < sql.length() && sql.charAt(at) == '@') {
            at++;
        }
        if (at < sql.length() && "`'\"".indexOf(sql.charAt(at)) >= 0) {
            quoted(Kind.STRING, sql.charAt(at), false);
            tokens.remove(tokens.size() - 1);
        } else {
            word();
        }
        tokens.add(new Token(Kind.VARIABLE, sql.substring(begin, at), begin, at));
    }

    private static boolean isOfWord(char c) {
        return c == '_' || c == '$' || c >= 0x80 || Character.isLetterOrDigit(c);
    }

    private String word() {
        int begin = at;
        while (at < sql.length() && isOfWord(sql.charAt(at))) {
            at++;
        }
        return sql.substring(begin, at);
    }

    /** A quote is doubled within quotes. */
    private void quoted(Kind kind, char quote, boolean isEscaping) {
        int begin = at++;
        StringBuilder text = new StringBuilder();
        while (at < sql.length()) {
            char c = sql.charAt(at++);
            if (c == quote) {
                if (at == sql.length() || sql.charAt(at) != quote) {
                    tokens.add(new Token(kind, text.toString(), begin, at));
                    return;
                }
                at++;
                text.append(quote);
            } else if (c == '\\' && isEscaping && at < sql.length()) {
                text.append(unescaped(sql.charAt(at++)));
            } else {
                text.append(c);
            }
        }
        throw unended(kind == Kind.NAME ? "name" : "string", begin);
    }

    /** As in the manual of MySQL, "String Literals". */
    private static String unescaped(char c) {
        return switch (c) {
            case '0' -> "\0";
            case 'b' -> "\b";
            case 'n' -> "\n";
            case 'r' -> "\r";
            case 't' -> "\t";
            case 'Z' -> "\u001a";
            case '%', '_' -> "\\" + c; // a backslash that only LIKE takes for an escape
            default -> String.valueOf(c);
        };
    }

    private IllegalArgumentException unended(String what, int begin) {
        return new IllegalArgumentException("the " + what + " that begins at character " + begin + " does not end: "
                + sql.substring(begin, Math.min(sql.length(), begin + 40)));
    }
}
