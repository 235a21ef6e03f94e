package dev.blobmark.reencode.binlog;

import dev.blobmark.reencode.binlog.Words.Token;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A statement of the log, as far as it must be understood: whether it begins or ends a transaction, and whether it
 * could change a table. What is not known changes it.
 */
final class Statement {

    /** What a statement is to a reader of one table's changes. */
    sealed interface Meaning {

        /** It changes nothing of the table. */
        record Harmless() implements Meaning {}

        /** The end of a transaction, or a change of a definition, which is one of its own. */
        record End() implements Meaning {}

        /** It could change the table in a way that is not seen in rows. */
        record Foreign(String reason) implements Meaning {}
    }

    private static final Meaning HARMLESS = new Meaning.Harmless();
    private static final Meaning END = new Meaning.End();

    /** Within a transaction. */
    private static final Set<String> WITHIN = Set.of("BEGIN", "SAVEPOINT", "RELEASE", "START");

    /** They end a transaction or are one, and change no rows. */
    private static final Set<String> ROWLESS =
            Set.of("COMMIT", "GRANT", "REVOKE", "FLUSH", "INSTALL", "UNINSTALL", "DENY");

    /** Of tables; MariaDB executes other statements after ANALYZE. */
    private static final Set<String> MAINTENANCE = Set.of("ANALYZE", "OPTIMIZE", "REPAIR", "CHECK");

    /** What may be created, altered and dropped without a change of a table's rows. */
    private static final Set<String> ROWLESS_OBJECTS = Set.of(
            "USER",
            "ROLE",
            "PROCEDURE",
            "FUNCTION",
            "AGGREGATE",
            "EVENT",
            "VIEW",
            "SERVER",
            "TABLESPACE",
            "UNDO",
            "LOGFILE",
            "RESOURCE",
            "SPATIAL",
            "SEQUENCE",
            "PACKAGE",
            "INSTANCE",
            "LIBRARY",
            "CATALOG");

    /**
     * MariaDB takes {@code TRUNCATE .orders} for the table in the default schema: these words are of no schema there.
     */
    private static final Set<String> UNQUALIFIED =
            Set.of("TABLE", "TABLES", "TRUNCATE", "EXISTS", "TO", "AS", "RENAME", "ON");

    private static final Set<String> BEFORE_NAMES = Set.of("IF", "EXISTS", "NOT", "TO", "AS", "=");

    private static final Set<String> CREATION_WORDS = Set.of(
            "OR",
            "REPLACE",
            "ALGORITHM",
            "=",
            "UNDEFINED",
            "MERGE",
            "TEMPTABLE",
            "DEFINER",
            "SQL",
            "SECURITY",
            "INVOKER",
            "UNIQUE",
            "FULLTEXT",
            "ONLINE",
            "OFFLINE",
            "IGNORE",
            "GLOBAL",
            "LOCAL",
            "EXTERNAL",
            "JSON",
            "RELATIONAL",
            "DUALITY",
            "MATERIALIZED");

    /** Client character sets in which the second byte of a character may be a backslash or a quote. */
    private static final Set<Integer> AMBIGUOUS = Set.of(1, 13, 28, 84, 87, 88, 95, 96, 248, 249, 250);

    /** The collations of swe7, which has letters in the place of some characters of ASCII. */
    private static final Set<Integer> WITHOUT_BRACKETS = Set.of(10, 82);

    private static final String LETTERS_OF_SWE7 = "@[\\]^`{|}~";
    private static final int COLLATIONS = 1_024;
    private static final int ASCII = 0x80;

    private final String sql;
    private final Session session;
    private final TableName table;

    /**
     * What the log has of the session.
     *
     * @param schema default schema
     * @param collation number of the client's collation; 0 if it is not known
     */
    record Session(String schema, int collation, long sqlMode) {}

    /**
     * @param sql bytes as the client sent them
     * @param table whose changes are read
     */
    Statement(byte[] sql, Session session, TableName table) {
        this.sql = new String(sql, StandardCharsets.ISO_8859_1);
        this.session = session;
        this.table = table;
    }

    Meaning meaning() {
        int collation = session.collation() % COLLATIONS;
        boolean isAmbiguous = AMBIGUOUS.contains(collation) && sql.chars().anyMatch(c -> c >= ASCII);
        boolean hasBrackets =
                WITHOUT_BRACKETS.contains(collation) && sql.chars().anyMatch(c -> LETTERS_OF_SWE7.indexOf(c) >= 0);
        if (isAmbiguous || hasBrackets) {
            return foreign("a statement in a character set that is not read");
        }
        Optional<List<Token>> tokens = new Words(sql, session.sqlMode()).tokens();
        if (tokens.isEmpty()) {
            return foreign("a statement that cannot be read");
        }
        return meaning(tokens.get());
    }

    private Meaning meaning(List<Token> all) {
        if (all.isEmpty()) {
            return HARMLESS; // a comment
        }
        String verb = all.get(0).upper();
        if (WITHIN.contains(verb)) {
            return HARMLESS;
        }
        if (ROWLESS.contains(verb)) {
            return END;
        }
        if (MAINTENANCE.contains(verb)) {
            boolean isOfTables = all.stream()
                    .skip(1)
                    .filter(token -> !Set.of("LOCAL", "NO_WRITE_TO_BINLOG").contains(token.upper()))
                    .findFirst()
                    .filter(token -> Set.of("TABLE", "TABLES", "VIEW").contains(token.upper()))
                    .isPresent();
            return isOfTables ? END : logged();
        }
        return switch (verb) {
            case "ROLLBACK" -> all.stream().anyMatch(token -> token.is("TO")) ? HARMLESS : END;
            case "XA" -> xa(all);
            case "SET" -> set(all);
            case "CREATE" -> create(all);
            case "ALTER", "DROP", "RENAME" -> change(all);
            case "TRUNCATE" -> named(all) ? foreign("TRUNCATE of the table") : END;
            default -> logged();
        };
    }

    /** MariaDB: SET STATEMENT variable = value FOR statement. */
    private Meaning set(List<Token> all) {
        String what = all.size() > 1 ? all.get(1).upper() : "";
        if (what.equals("STATEMENT")) {
            for (int i = 2; i < all.size(); i++) {
                if (all.get(i).upper().equals("FOR") && i + 1 < all.size()) {
                    return meaning(all.subList(i + 1, all.size()));
                }
            }
        }
        return Set.of("PASSWORD", "DEFAULT").contains(what) ? END : logged();
    }

    /** A prepared transaction has its rows before XA PREPARE, which is an event of its own. */
    private static Meaning xa(List<Token> all) {
        String what = all.size() > 1 ? all.get(1).upper() : "";
        return switch (what) {
            case "START", "BEGIN", "END" -> HARMLESS;
            case "COMMIT", "ROLLBACK", "PREPARE" -> END;
            default -> foreign("an unknown XA statement");
        };
    }

    private Meaning logged() {
        return foreign("a statement instead of its rows; a session has another binlog_format than ROW");
    }

    private Meaning create(List<Token> all) {
        int at = 1;
        while (at < all.size() && CREATION_WORDS.contains(all.get(at).upper())) {
            boolean isDefiner = all.get(at).upper().equals("DEFINER");
            at++;
            if (isDefiner) {
                at = afterDefiner(all, at);
            }
        }
        String object = at < all.size() ? all.get(at).upper() : "";
        if (ROWLESS_OBJECTS.contains(object)) {
            return END;
        }
        if (Set.of("TABLE", "TEMPORARY").contains(object) && isQuery(all)) {
            return logged(); // its functions may change any table; with ROW, the log has the rows instead
        }
        return switch (object) {
            case "TABLE" -> created(all, at);
            case "TEMPORARY" -> HARMLESS; // a table of a session
            case "DATABASE", "SCHEMA" -> END;
            case "INDEX" -> named(afterOn(all)) ? foreign("CREATE INDEX on the table") : END;
            case "TRIGGER" -> named(afterOn(all)) ? foreign("CREATE TRIGGER on the table") : END;
            default -> logged();
        };
    }

    /** Whether a table is made from a SELECT or VALUES ROW. */
    private static boolean isQuery(List<Token> all) {
        for (int i = 0; i < all.size(); i++) {
            String word = all.get(i).upper();
            String next = i + 1 < all.size() ? all.get(i + 1).upper() : "";
            if (word.equals("SELECT") || word.equals("VALUES") && next.equals("ROW")) {
                return true;
            }
        }
        return false;
    }

    /** After {@code = user@host}, in which a name may be {@code CURRENT_USER()}. */
    private static int afterDefiner(List<Token> all, int from) {
        int at = from;
        while (at < all.size() && !isObject(all.get(at))) {
            at++;
        }
        return at;
    }

    private static boolean isObject(Token token) {
        return ROWLESS_OBJECTS.contains(token.upper())
                || Set.of("TRIGGER", "SQL").contains(token.upper());
    }

    /** Only the table that is made matters, not those that it is made from or refers to. */
    private Meaning created(List<Token> all, int from) {
        int at = from;
        while (at < all.size()
                && Set.of("TABLE", "IF", "NOT", "EXISTS").contains(all.get(at).upper())) {
            at++;
        }
        if (at < all.size() && all.get(at).is(".")) { // without a schema, see UNQUALIFIED
            at++;
        }
        int end = at + 1 < all.size() && all.get(at + 1).is(".") ? at + 3 : at + 1;
        if (end > all.size()) {
            return foreign("a CREATE TABLE that cannot be read");
        }
        return named(all.subList(at, end)) ? foreign("CREATE TABLE with the name of the table") : END;
    }

    private Meaning change(List<Token> all) {
        int at = 1;
        while (at < all.size()
                && Set.of("IGNORE", "ONLINE", "OFFLINE", "DEFINER")
                        .contains(all.get(at).upper())) {
            at = all.get(at).upper().equals("DEFINER") ? afterDefiner(all, at + 1) : at + 1;
        }
        String verb = all.get(0).upper();
        String object = at < all.size() ? all.get(at).upper() : "";
        if (object.equals("ALGORITHM") || object.equals("SQL")) { // of ALTER VIEW
            return all.stream().anyMatch(token -> token.upper().equals("VIEW")) ? END : logged();
        }
        if (ROWLESS_OBJECTS.contains(object)) {
            return END;
        }
        return switch (object) {
            case "TEMPORARY" -> HARMLESS;
            case "TABLE", "TABLES" ->
                named(verb.equals("ALTER") ? altered(all) : all) ? foreign(verb + " of the table") : END;
            case "INDEX" -> named(afterOn(all)) ? foreign(verb + " INDEX on the table") : END;
            case "TRIGGER" -> named(all) ? foreign(verb + " TRIGGER with the name of the table") : END;
            case "DATABASE", "SCHEMA" ->
                verb.equals("ALTER")
                        ? END
                        : all.stream().anyMatch(this::isSchema) ? foreign(verb + " of the schema") : END;
            case "PREPARE" -> HARMLESS;
            default -> logged();
        };
    }

    /** The name after ON; an index may have the name of the table, and a trigger may use it. */
    private static List<Token> afterOn(List<Token> all) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).upper().equals("ON")) {
                return all.subList(i + 1, Math.min(all.size(), i + 4));
            }
        }
        return all;
    }

    /** The names in ALTER TABLE that are those of tables: not of columns, indexes and partitions. */
    private static List<Token> altered(List<Token> all) {
        List<Token> names = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            String word = all.get(i).upper();
            int at = i + 1;
            boolean isBefore = word.equals("TABLE") || word.equals("TABLES");
            if (word.equals("RENAME") && at < all.size()) {
                isBefore =
                        !Set.of("COLUMN", "INDEX", "KEY").contains(all.get(at).upper());
            }
            while (isBefore
                    && at < all.size()
                    && BEFORE_NAMES.contains(all.get(at).upper())) {
                at++;
            }
            if (isBefore) {
                names.addAll(all.subList(at, Math.min(all.size(), at + 3)));
                names.add(new Token(";", false, false));
            }
        }
        return names;
    }

    private boolean isSchema(Token token) {
        return token.isName() && table.isSchema(token.text());
    }

    /** Whether the table's name occurs as a name, other than as that of another schema's table. */
    private boolean named(List<Token> tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            if (!token.isName() || !table.isTable(token.text())) {
                continue;
            }
            boolean isQualified = i >= 2
                    && tokens.get(i - 1).is(".")
                    && tokens.get(i - 2).isName()
                    && !UNQUALIFIED.contains(tokens.get(i - 2).upper());
            if (isQualified ? table.isSchema(tokens.get(i - 2).text()) : isDefault()) {
                return true;
            }
        }
        return false;
    }

    private boolean isDefault() {
        return session.schema().isEmpty()
                || table.isSchema(
                        new String(session.schema().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1));
    }

    private static Meaning foreign(String reason) {
        return new Meaning.Foreign(reason);
    }
}
