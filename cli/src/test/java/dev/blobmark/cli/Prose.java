package dev.blobmark.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import morfologik.speller.Speller;
import morfologik.stemming.Dictionary;

/**
 * Checks the spelling of English text, words that are repeated, and words that the project avoids. Spelling is that of
 * LanguageTool's British dictionary and of {@code docs/style/words.txt}; {@code docs/style/avoid.txt} lists the words
 * to avoid, each with what to use instead.
 */
final class Prose {

    /** What is wrong, and what to use instead. */
    record Finding(String file, int line, String word, String advice) {

        @Override
        public String toString() {
            return file + ":" + line + ": '" + word + "': " + advice;
        }
    }

    private static final Path ROOT = Path.of("..");

    /** Code, links' targets, addresses, and file names: what is no English. */
    private static final Pattern NO_PROSE = Pattern.compile(
            "(?ms)^```.*?^```|^ {4,}(?![-*] ).*?$|`[^`]*`|\\]\\([^)]*\\)|https?:\\S+|<!--.*?-->|\\S*[/_@=]\\S*|[\\w-]+\\.\\w+");

    private static final Pattern WORD = Pattern.compile("(?<![\\w.])\\p{L}[\\p{L}’']*(?!\\w)");

    private static final Pattern REPEATED = Pattern.compile("(?i)\\b(\\p{L}+)(?: +|\\n *)\\1\\b");

    private static final Pattern COMMENT = Pattern.compile("(?ms)/\\*\\*?(.*?)\\*/|(?<!:)//(.*?)$");

    private final Speller speller;
    private final Set<String> known;
    private final Map<Pattern, String> avoided =
            new TreeMap<>((a, b) -> a.pattern().compareTo(b.pattern()));

    Prose() throws IOException {
        speller = new Speller(
                Dictionary.read(Prose.class.getResource("/org/languagetool/resource/en/hunspell/en_GB.dict")));
        known = lines("docs/style/words.txt").collect(Collectors.toCollection(TreeSet::new));
        lines("docs/style/avoid.txt")
                .map(line -> line.split(" → "))
                .forEach(entry -> avoided.put(
                        Pattern.compile("(?i)(?<![\\w-])" + entry[0].replace(" ", "\\s+") + "(?![\\w-])"), entry[1]));
    }

    static Stream<String> lines(String file) throws IOException {
        return Files.readAllLines(ROOT.resolve(file)).stream()
                .map(line -> line.replaceFirst("#.*", "").strip())
                .filter(line -> !line.isEmpty());
    }

    /** The files of Java that are not tests, of all modules. */
    static List<String> mainSources() throws IOException {
        List<String> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.find(ROOT, 3, (path, facts) -> path.endsWith("pom.xml"))) {
            for (Path main : modules.map(pom -> pom.resolveSibling("src/main/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(main)) {
                    files.filter(file -> file.toString().endsWith(".java"))
                            .map(file -> ROOT.relativize(file).toString())
                            .forEach(sources::add);
                }
            }
        }
        return sources;
    }

    /** All that is wrong in a document in Markdown. */
    List<Finding> inDocument(String file) throws IOException {
        return inMarkdown(file, Files.readString(ROOT.resolve(file)));
    }

    List<Finding> inMarkdown(String file, String markdown) {
        String prose = NO_PROSE.matcher(markdown)
                .replaceAll(code -> "\n".repeat((int)
                                code.group().chars().filter(c -> c == '\n').count()) + " · ");
        List<Finding> findings = avoided(file, prose);
        matches(REPEATED, prose)
                .forEach(match -> findings.add(
                        new Finding(file, line(prose, match), match.group(), "use '" + match.group(1) + "' once")));
        matches(WORD, prose)
                .filter(match -> isMisspelled(match.group()))
                .forEach(
                        match -> findings.add(new Finding(file, line(prose, match), match.group(), suggestion(match))));
        return findings;
    }

    /** The words to avoid in the comments of a Java file. */
    List<Finding> inComments(String file) throws IOException {
        String source = Files.readString(ROOT.resolve(file));
        StringBuilder prose = new StringBuilder(source.replaceAll(".", " "));
        matches(COMMENT, source)
                .forEach(comment -> prose.replace(
                        comment.start(), comment.end(), comment.group().replaceAll("[*/]", " ")));
        return avoided(file, prose.toString());
    }

    private List<Finding> avoided(String file, String prose) {
        List<Finding> findings = new ArrayList<>();
        avoided.forEach((word, instead) -> matches(word, prose)
                .forEach(match -> findings.add(new Finding(
                        file, line(prose, match), match.group().replaceAll("\\s+", " "), "use " + instead))));
        return findings;
    }

    private boolean isMisspelled(String word) {
        String bare = word.replace('’', '\'').replaceFirst("'s?$", "");
        return !bare.equals(bare.toUpperCase())
                && !known.contains(bare)
                && !known.contains(bare.toLowerCase())
                && speller.isMisspelled(bare)
                && speller.isMisspelled(bare.toLowerCase());
    }

    private String suggestion(MatchResult word) {
        String likely = speller.findReplacements(word.group()).stream().limit(3).collect(Collectors.joining(", "));
        return (likely.isEmpty() ? "" : "perhaps " + likely + "; ") + "if it is right, add it to docs/style/words.txt";
    }

    private static Stream<MatchResult> matches(Pattern pattern, String text) {
        return pattern.matcher(text).results();
    }

    private static int line(String text, MatchResult match) {
        return 1
                + (int) text.substring(0, match.start())
                        .chars()
                        .filter(c -> c == '\n')
                        .count();
    }
}
