package dev.blobmark.fleet;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Words that must not be found, whole or in pieces, as bytes, UTF-16, Base64 or hexadecimal digits. */
final class Secrets {

    /** Of random words: nothing else has it by chance. */
    private static final int PIECE = 10;

    private static final int BUFFER = 1 << 24;

    /** What it looks like, by the bytes as text in ISO 8859-1. */
    private final Map<String, String> forms = new LinkedHashMap<>();

    private int longest;

    /**
     * @param words random ones of at least 20 characters, by what they are
     * @param privateKeys what private keys begin with, in hexadecimal
     */
    Secrets(Map<String, String> words, List<String> privateKeys) {
        for (String key : privateKeys) {
            byte[] bytes = HexFormat.of().parseHex(key);
            add("a private key", new String(bytes, StandardCharsets.ISO_8859_1), StandardCharsets.ISO_8859_1);
        }
        words.forEach((what, word) -> {
            for (int from = 0; from + PIECE <= word.length(); from += PIECE) {
                add(what, word.substring(from, from + PIECE));
            }
        });
    }

    private void add(String what, String piece) {
        byte[] bytes = piece.getBytes(StandardCharsets.US_ASCII);
        add(what, piece, StandardCharsets.US_ASCII);
        add(what + " in UTF-16", piece, StandardCharsets.UTF_16LE);
        add(what + " in UTF-16", piece, StandardCharsets.UTF_16BE);
        String hex = HexFormat.of().formatHex(bytes);
        add(what + " in hexadecimal", hex, StandardCharsets.US_ASCII);
        add(what + " in hexadecimal", hex.toUpperCase(), StandardCharsets.US_ASCII);
        for (int before = 0; before < 3; before++) {
            byte[] moved = new byte[before + bytes.length];
            System.arraycopy(bytes, 0, moved, before, bytes.length);
            String text = Base64.getEncoder().withoutPadding().encodeToString(moved);
            // the first and the last characters have bits of what is before and after
            add(what + " in Base64", text.substring(before + 1, text.length() - 1), StandardCharsets.US_ASCII);
        }
    }

    private void add(String what, String text, Charset charset) {
        String bytes = new String(text.getBytes(charset), StandardCharsets.ISO_8859_1);
        forms.put(bytes, what);
        longest = Math.max(longest, bytes.length());
    }

    /** What is in bytes. */
    Set<String> in(InputStream bytes) throws IOException {
        Set<String> found = new TreeSet<>();
        byte[] buffer = new byte[BUFFER];
        int kept = 0;
        while (true) {
            int read = bytes.readNBytes(buffer, kept, buffer.length - kept);
            if (read == 0) {
                return found;
            }
            int length = kept + read;
            String text = new String(buffer, 0, length, StandardCharsets.ISO_8859_1);
            forms.forEach((form, what) -> {
                if (text.contains(form)) {
                    found.add(what);
                }
            });
            kept = Math.min(longest, length);
            System.arraycopy(buffer, length - kept, buffer, 0, kept);
        }
    }

    Set<String> in(String text) throws IOException {
        return in(new java.io.ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** What is in the files below a directory, by their paths. Files that end meanwhile are left out. */
    Set<String> below(Path directory, Set<Path> except) throws IOException {
        Set<String> found = new TreeSet<>();
        List<Path> files;
        try (Stream<Path> all = Files.walk(directory)) {
            files = all.filter(file ->
                            Files.isRegularFile(file) && !file.toString().endsWith(".jar"))
                    .filter(file -> except.stream().noneMatch(file::startsWith))
                    .toList();
        }
        for (Path file : files) {
            try (InputStream in = Files.newInputStream(file)) {
                in(in).forEach(what -> found.add(directory.relativize(file) + ": " + what));
            } catch (java.nio.file.NoSuchFileException e) {
                // removed since
            }
        }
        return found;
    }
}
