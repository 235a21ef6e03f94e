package dev.blobmark.reencode.table;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.table.SqlTokens.Kind;
import dev.blobmark.reencode.table.SqlTokens.Token;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The parts of what SHOW CREATE TABLE writes for a table.
 *
 * @param columns by name, in their order
 * @param others indexes, constraints and periods
 * @param options by name in upper case, such as {@code ENGINE}
 * @param rest what follows the options, such as the partitions
 */
public record TableText(Map<String, Part> columns, List<Part> others, Map<String, Token> options, Part rest) {

    private static final Set<String> CONSTRAINTS = Set.of("CONSTRAINT", "CHECK", "FOREIGN");

    /**
     * A part of the definition.
     *
     * @param text as the server wrote it
     */
    public record Part(String text, List<Token> tokens) {

        boolean isConstraint() {
            return CONSTRAINTS.contains(tokens.get(0).text().toUpperCase(Locale.ROOT));
        }

        boolean isCheck() {
            return isConstraint() && index("CHECK") >= 0;
        }

        public boolean mentions(String name) {
            return SqlTokens.mentions(tokens, name);
        }

        /** Equal for parts that mean the same. */
        String normal() {
            return TableText.normal(tokens);
        }

        /** The same from a word on. */
        String from(String word) {
            return TableText.normal(tokens.subList(index(word), tokens.size()));
        }

        /** What is in parentheses within the parentheses of an index, without lengths of columns. */
        public List<List<Token>> expressions() {
            List<List<Token>> found = new ArrayList<>();
            int depth = 0;
            for (int i = 1; i < tokens.size(); i++) {
                if (tokens.get(i).isSymbol('(')) {
                    if (++depth == 2 && tokens.get(i - 1).kind() == Kind.SYMBOL) {
                        found.add(after(i - 1));
                    }
                } else if (tokens.get(i).isSymbol(')')) {
                    depth--;
                }
            }
            return found;
        }

        /** Place of the first word; negative if it is not there. */
        int index(String word) {
            for (int i = 0; i < tokens.size(); i++) {
                if (tokens.get(i).isWord(word)) {
                    return i;
                }
            }
            return -1;
        }

        /** The tokens after a place: those of an expression in parentheses, or one token. */
        List<Token> after(int place) {
            int end = place + 1;
            int depth = 0;
            do {
                depth += tokens.get(end).isSymbol('(') ? 1 : tokens.get(end).isSymbol(')') ? -1 : 0;
                end++;
            } while (depth > 0 && end < tokens.size());
            return tokens.subList(place + 1, end);
        }
    }

    static String normal(List<Token> tokens) {
        return tokens.stream().map(Token::normal).collect(Collectors.joining(" "));
    }

    public static TableText read(Connection connection, String schema, String table) throws SQLException {
        return parse(Sql.pairs(connection, "SHOW CREATE TABLE " + Names.quoted(schema, table))
                .values()
                .iterator()
                .next());
    }

    public static TableText read(Connection connection, TableColumn column) throws SQLException {
        return read(connection, column.schema(), column.table());
    }

    /** @throws IllegalArgumentException if it is not the definition of a table */
    public static TableText parse(String sql) {
        List<Token> all = SqlTokens.of(sql);
        Map<String, Part> columns = new LinkedHashMap<>();
        List<Part> others = new ArrayList<>();
        int depth = 0;
        int begin = 0;
        int i = 0;
        do {
            if (i == all.size()) {
                throw new IllegalArgumentException("this is not the definition of a table: " + sql);
            }
            Token token = all.get(i++);
            boolean isEnd = token.isSymbol(')') && depth == 1;
            if (isEnd || token.isSymbol(',') && depth == 1) {
                add(part(sql, all.subList(begin, i - 1)), columns, others);
                begin = i;
            }
            depth += token.isSymbol('(') ? 1 : token.isSymbol(')') ? -1 : 0;
            if (depth == 1 && begin == 0) {
                begin = i;
            }
        } while (depth > 0 || begin == 0);
        Map<String, Token> options = new LinkedHashMap<>();
        int next = i;
        for (int equals = i; equals < all.size(); equals++) {
            if (all.get(equals).isWord("PARTITION") || all.get(equals).isWord("WITH")) {
                break;
            }
            if (all.get(equals).isSymbol('=') && equals + 1 < all.size()) {
                String name = all.subList(next, equals).stream()
                        .map(token -> token.text().toUpperCase(Locale.ROOT))
                        .collect(Collectors.joining(" "));
                options.put(name, all.get(++equals));
                next = equals + 1;
            }
        }
        return new TableText(columns, others, options, part(sql, all.subList(next, all.size())));
    }

    private static Part part(String sql, List<Token> tokens) {
        return tokens.isEmpty()
                ? new Part("", List.of())
                : new Part(
                        sql.substring(
                                tokens.get(0).begin(),
                                tokens.get(tokens.size() - 1).end()),
                        List.copyOf(tokens));
    }

    private static void add(Part part, Map<String, Part> columns, List<Part> others) {
        if (part.tokens().get(0).kind() == Kind.NAME) {
            columns.put(part.tokens().get(0).text(), part);
        } else {
            others.add(part);
        }
    }

    /** The column of a name, in any case of letters. */
    Part column(String name) {
        return columns.entrySet().stream()
                .filter(column -> column.getKey().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the definition has no column " + name))
                .getValue();
    }

    /** The next number of AUTO_INCREMENT, exactly; empty if there is no such column, or it is the first one. */
    public Optional<BigInteger> counter() {
        return Optional.ofNullable(options.get("AUTO_INCREMENT")).map(token -> new BigInteger(token.text()));
    }
}
