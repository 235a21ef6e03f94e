package dev.blobmark.advice;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import dev.blobmark.lab.run.PrivateFiles;
import dev.blobmark.lab.run.RunException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;

/** {@code advice.json}: an {@link Advice} in its directory. */
public final class AdviceFile {

    private static final String NAME = "advice.json";

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .changeDefaultVisibility(v -> v.withIsGetterVisibility(Visibility.NONE))
            .enable(EnumFeature.READ_ENUMS_USING_TO_STRING, EnumFeature.WRITE_ENUMS_USING_TO_STRING)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build();

    private AdviceFile() {}

    static void write(Path directory, Advice advice) throws IOException {
        Path begun = directory.resolve("." + NAME + ".part");
        try (OutputStream out = PrivateFiles.replace(begun)) {
            out.write(MAPPER.writeValueAsBytes(advice));
        }
        Files.move(begun, directory.resolve(NAME), StandardCopyOption.REPLACE_EXISTING);
    }

    /** The JSON of an advice. */
    public static String text(Advice advice) {
        return MAPPER.writeValueAsString(advice);
    }

    /** Whether a directory is that of an advice. */
    public static boolean isIn(Path directory) {
        return Files.isRegularFile(directory.resolve(NAME));
    }

    /** @throws RunException if there is no advice in the directory, or it cannot be read */
    public static Advice read(Path directory) {
        Path file = directory.resolve(NAME);
        if (!isIn(directory)) {
            throw new RunException(
                    directory.toString(),
                    "it has no " + NAME,
                    "name the directory of an advice, such as runs/2026-11-21T10-15-00-advice");
        }
        try {
            Advice advice = MAPPER.readValue(PrivateFiles.read(file), Advice.class);
            if (advice.schema() != Advice.SCHEMA) {
                throw new RunException(
                        file.toString(),
                        "the file has schema " + advice.schema() + ", and this version reads schema " + Advice.SCHEMA,
                        "read it with " + advice.origin().program());
            }
            return advice;
        } catch (IOException | JacksonException e) {
            throw new RunException(
                    file.toString(),
                    e instanceof JacksonException json ? json.getOriginalMessage() : e.getMessage(),
                    "ask for the advice again",
                    e);
        }
    }

    /** Empty if the file is damaged: a curve can be measured again. */
    static Optional<ServerCurve> readCurve(Path file) throws IOException {
        try {
            return Optional.of(MAPPER.readValue(Files.readAllBytes(file), ServerCurve.class));
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    static void writeCurve(Path file, ServerCurve curve) throws IOException {
        try (OutputStream out = PrivateFiles.replace(file)) {
            out.write(MAPPER.writeValueAsBytes(curve));
        }
    }
}
