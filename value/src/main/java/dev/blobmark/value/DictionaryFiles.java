package dev.blobmark.value;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Dictionaries as files {@code 0f3a9c.zdict} of a directory, by their numbers; as a copy, or for programs without SQL.
 */
public final class DictionaryFiles implements Dictionaries {

    private static final String SUFFIX = ".zdict";

    private final Path directory;

    private DictionaryFiles(Path directory) {
        this.directory = directory;
    }

    public static DictionaryFiles in(Path directory) {
        return new DictionaryFiles(directory);
    }

    private Path file(int number) {
        return directory.resolve(ValueDictionary.name(number) + SUFFIX);
    }

    /** @throws DictionaryException if the file cannot be read, or its bytes are not those that its name says */
    @Override
    public Optional<ValueDictionary> find(int number) {
        Path file = file(number);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            byte[] bytes = Files.readAllBytes(file);
            if (ValueDictionary.number(ValueDictionary.sha256(bytes)) != number) {
                throw new DictionaryException(file + " was changed");
            }
            return Optional.of(ValueDictionary.of(bytes));
        } catch (IOException | IllegalArgumentException e) {
            throw new DictionaryException(file + " could not be read: " + e.getMessage(), e);
        }
    }

    /** Writes a dictionary; nothing if it is there already. */
    public Path write(ValueDictionary dictionary) {
        Path file = file(dictionary.number());
        try {
            if (find(dictionary.number()).isEmpty()) {
                Files.createDirectories(directory);
                Files.write(file, dictionary.bytes());
            }
            return file;
        } catch (IOException e) {
            throw new DictionaryException(file + " could not be written: " + e.getMessage(), e);
        }
    }
}
