package dev.blobmark.reencode.table;

import dev.blobmark.reencode.table.SqlTokens.Token;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Generated columns that are stored, in the row or in an index. The server computes them again for an UPDATE of any
 * other column, and for a copy, under the settings of that session. One that depends on the session's settings, as the
 * date of a TIMESTAMP does on its time zone, would change. So each must be computed only by what depends on nothing.
 */
public final class GeneratedColumns {

    /** Words of expressions whose result depends on their arguments alone, as servers write them. */
    private static final Set<String> KNOWN = Stream.of(
                    "and or xor not null true false is in like between case when then else end escape div mod as",
                    "cast convert using charset character set collate char varchar binary varbinary signed unsigned integer"
                            + " int bigint smallint decimal numeric double float real date datetime time year json array",
                    "concat concat_ws coalesce ifnull nullif if isnull lower lcase upper ucase substr substring"
                            + " substring_index mid left right trim ltrim rtrim both leading trailing from for length"
                            + " octet_length bit_length char_length character_length replace reverse lpad rpad repeat insert"
                            + " instr locate position hex unhex bin oct conv ascii ord",
                    "md5 sha sha1 sha2 crc32 crc32c to_base64 from_base64 abs floor ceil ceiling round truncate sign"
                            + " greatest least pow power sqrt",
                    "month day dayofmonth quarter hour minute second to_days last_day datediff microsecond extract",
                    "json_extract json_unquote json_value json_contains json_length json_valid json_keys json_type"
                            + " json_object json_array json_search json_depth",
                    "inet_aton inet_ntoa inet6_aton inet6_ntoa uuid_to_bin bin_to_uuid is_uuid")
            .flatMap(words -> Stream.of(words.split(" ")))
            .collect(Collectors.toUnmodifiableSet());

    /**
     * Of these, what makes dates of text and numbers, which {@code sql_mode} decides: NO_ZERO_DATE, NO_ZERO_IN_DATE,
     * ALLOW_INVALID_DATES, TIME_TRUNCATE_FRACTIONAL.
     */
    private static final Set<String> OF_DATES = Set.of(
            ("date datetime time year month day dayofmonth quarter hour minute second to_days last_day datediff microsecond"
                            + " extract")
                    .split(" "));

    /** Character sets and collations, also as introducers of strings. */
    private static final String CHARSETS =
            "_?(utf8|utf16|utf32|ucs2|latin|ascii|binary|cp\\d|koi|big5|gb|sjis|ujis|euc).*";

    /** Types whose conversion depends on the time zone, or on the date of the day. */
    private static final List<String> ZONED = List.of("TIMESTAMP", "TIME");

    private static final List<String> DATES = List.of("DATE", "DATETIME");

    private static final List<String> CONVERSIONS = List.of("CAST", "CONVERT");

    /**
     * What earlier columns are.
     *
     * @param zoned depend on the session
     * @param dates dates, and times of days without fractions of seconds
     * @param fractions the latter with fractions, which {@code sql_mode} rounds or truncates where they are converted
     */
    private record Known(Set<String> zoned, Set<String> dates, Set<String> fractions) {

        static boolean has(Set<String> names, Token token) {
            return names.stream().anyMatch(token.text()::equalsIgnoreCase);
        }
    }

    private GeneratedColumns() {}

    /**
     * Columns, and indexes on expressions, that may depend on the session's settings, in words.
     *
     * @param indexed names of columns that are in an index, in lower case
     */
    public static List<String> dependent(TableText text, Set<String> indexed) {
        Known known = new Known(new HashSet<>(), new HashSet<>(), new HashSet<>());
        List<String> dependent = new ArrayList<>();
        // one that is not stored passes on to others what it depends on; servers allow references to earlier ones only
        text.columns().forEach((name, part) -> {
            boolean isZoned = ZONED.stream().anyMatch(part.tokens().get(1)::isWord);
            boolean isGenerated = part.index("GENERATED") >= 0;
            boolean isDate = DATES.stream().anyMatch(part.tokens().get(1)::isWord);
            boolean isPure = !isGenerated || !isZoned && isPure(part.after(part.index("AS")), known, false);
            // the values of one that is stored are compared where they are written, see ComputedColumns
            boolean isConverted = isPure && isGenerated && isDate && !isPure(part.after(part.index("AS")), known, true);
            if (isDate) {
                boolean isFraction =
                        part.tokens().size() > 2 && part.tokens().get(2).isSymbol('(');
                (isFraction ? known.fractions : known.dates).add(name);
            }
            if (isZoned || !isPure) {
                known.zoned.add(name);
            }
            boolean isStored = part.index("STORED") >= 0 || part.index("PERSISTENT") >= 0;
            boolean isIndexed = indexed.contains(name.toLowerCase(Locale.ROOT));
            if (!isPure && isStored) {
                dependent.add("the generated column " + name + " is stored, and");
            } else if (isIndexed && !isStored && (!isPure || isConverted)) {
                dependent.add("the generated column " + name + " is in an index, and");
            }
        });
        text.others().stream()
                .filter(part -> !part.isConstraint()
                        && part.expressions().stream().anyMatch(each -> !isPure(each, known, false)))
                .forEach(part -> dependent.add("the index " + part.text()));
        return dependent;
    }

    /** @param isToDate whether the result is converted to a date */
    private static boolean isPure(List<Token> expression, Known known, boolean isToDate) {
        boolean isOfDates = isToDate
                || expression.stream().anyMatch(token -> OF_DATES.stream().anyMatch(token::isWord));
        boolean isConversion = isToDate
                || expression.stream().anyMatch(token -> CONVERSIONS.stream().anyMatch(token::isWord));
        for (int i = 0; i < expression.size(); i++) {
            Token token = expression.get(i);
            boolean isTested =
                    i + 1 < expression.size() && expression.get(i + 1).isWord("IS"); // NULL
            boolean isPure = switch (token.kind()) {
                case NAME ->
                    isTested
                            || !Known.has(known.zoned, token)
                                    && (!isOfDates
                                            || Known.has(known.dates, token)
                                            || !isConversion && Known.has(known.fractions, token));
                case WORD -> isKnown(token.text().toLowerCase(Locale.ROOT));
                case VARIABLE -> false;
                case SYMBOL -> !token.isSymbol('/'); // has as many digits as div_precision_increment says
                case STRING -> !isOfDates;
                case NUMBER -> true;
            };
            if (!isPure) {
                return false;
            }
        }
        return true;
    }

    private static boolean isKnown(String word) {
        return KNOWN.contains(word) || word.matches(CHARSETS);
    }
}
