package dev.blobmark.reencode;

import dev.blobmark.reencode.SqlTokens.Token;
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
final class GeneratedColumns {

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

    private GeneratedColumns() {}

    /**
     * Columns, and indexes on expressions, that may depend on the session's settings, in words.
     *
     * @param indexed names of columns that are in an index, in lower case
     */
    static List<String> dependent(TableText text, Set<String> indexed) {
        Set<String> zoned = new HashSet<>();
        Set<String> dates = new HashSet<>();
        List<String> dependent = new ArrayList<>();
        // one that is not stored passes on to others what it depends on; servers allow references to earlier ones only
        text.columns().forEach((name, part) -> {
            boolean isZoned = ZONED.stream().anyMatch(part.tokens().get(1)::isWord);
            boolean isGenerated = part.index("GENERATED") >= 0;
            boolean isPure = !isGenerated || !isZoned && isPure(part.after(part.index("AS")), zoned, dates);
            if (DATES.stream().anyMatch(part.tokens().get(1)::isWord)) {
                dates.add(name);
            }
            if (isZoned || !isPure) {
                zoned.add(name);
            }
            boolean isKept = part.index("STORED") >= 0
                    || part.index("PERSISTENT") >= 0
                    || indexed.contains(name.toLowerCase(Locale.ROOT));
            if (!isPure && isKept) {
                dependent.add("the generated column " + name + " is stored, and");
            }
        });
        text.others().stream()
                .filter(part -> !part.isConstraint()
                        && part.expressions().stream().anyMatch(each -> !isPure(each, zoned, dates)))
                .forEach(part -> dependent.add("the index " + part.text()));
        return dependent;
    }

    private static boolean isPure(List<Token> expression, Set<String> zoned, Set<String> dates) {
        boolean isOfDates =
                expression.stream().anyMatch(token -> OF_DATES.stream().anyMatch(token::isWord));
        for (int i = 0; i < expression.size(); i++) {
            Token token = expression.get(i);
            boolean isTested =
                    i + 1 < expression.size() && expression.get(i + 1).isWord("IS"); // NULL
            boolean isPure = switch (token.kind()) {
                case NAME ->
                    isTested
                            || zoned.stream().noneMatch(token.text()::equalsIgnoreCase)
                                    && (!isOfDates || dates.stream().anyMatch(token.text()::equalsIgnoreCase));
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
