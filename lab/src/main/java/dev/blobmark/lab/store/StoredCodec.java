package dev.blobmark.lab.store;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.CodecFamily;
import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.mysql.server.directory.Ownership;
import dev.blobmark.value.FramedCodec;
import dev.blobmark.value.ValueDictionary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The factor {@code codec}: how the bytes in the column are encoded: by a codec of {@link Codecs}, or in frames of the
 * value format.
 */
public final class StoredCodec {

    private static final List<String> NAMES =
            Codecs.all().stream().map(CodecFamily::name).toList();

    public static final Factor<Codec> FACTOR = new Factor<>(
                    "codec",
                    Factor.Home.METHOD,
                    Set.of(Factor.Shape.STORE, Factor.Shape.CODE_PATH),
                    Set.of(Factor.Use.VALUES),
                    "how values are encoded in the column",
                    Stream.concat(NAMES.stream(), Stream.of("framed")).toList(),
                    Optional.of("none"),
                    StoredCodec::parse,
                    Codec::id)
            .withForm("(" + Factor.alternatives(NAMES)
                    + ")(:-?[0-9]+)?(\\+len)?|framed\\([^+()]+(\\+all)?(\\+dictionary:[1-9][0-9]{0,3}KB)?\\)");

    /** A dictionary is trained on each fifth value. */
    private static final int TRAINED_ON = 5;

    private static final long MOST_TRAINING_BYTES = 10L << 20;

    /** One instance for each id, as for other codecs. */
    private static final Map<String, FramedCodec> FRAMED = new ConcurrentHashMap<>();

    private StoredCodec() {}

    private static Codec parse(String text) {
        if (!FramedCodec.isWritten(text)) {
            return Codecs.parse(text);
        }
        FramedCodec codec = FramedCodec.parse(text);
        return FRAMED.computeIfAbsent(codec.id(), id -> codec);
    }

    /** The family of a codec; of frames, that of what is in them. */
    public static CodecFamily family(Codec codec) {
        return Codecs.family(codec instanceof FramedCodec framed ? framed.inner() : codec);
    }

    /** The codec without a dictionary, for estimates. */
    public static Codec withoutDictionary(Codec codec) {
        return needsDictionary(codec) ? ((FramedCodec) codec).inner() : codec;
    }

    private static boolean needsDictionary(Codec codec) {
        return codec instanceof FramedCodec framed && framed.dictionaryBytes() > 0;
    }

    private static Path dictionary(Path file) {
        return file.resolveSibling(file.getFileName() + ".zdict");
    }

    /**
     * The codec with the dictionary that the values of a file were encoded with.
     *
     * @throws IOException if its file is missing, or others may have written it
     */
    static Codec of(Codec codec, Path file) throws IOException {
        if (!needsDictionary(codec)) {
            return codec;
        }
        Optional<String> problem = Ownership.problem(dictionary(file));
        if (problem.isPresent()) {
            throw new IOException(problem.get());
        }
        return ((FramedCodec) codec).with(ValueDictionary.of(Files.readAllBytes(dictionary(file))));
    }

    /** The codec for the values of a new file. A dictionary is trained on each fifth value, and written next to it. */
    static Codec trained(Codec codec, Values values, Path file) throws IOException {
        if (!needsDictionary(codec)) {
            return codec;
        }
        List<byte[]> training = new ArrayList<>();
        long bytes = 0;
        for (int i = 0; i < values.count() && bytes < MOST_TRAINING_BYTES; i += TRAINED_ON) {
            training.add(values.get(i));
            bytes += training.get(training.size() - 1).length;
        }
        ValueDictionary trained = ((FramedCodec) codec).train(training);
        Path part = Files.createTempFile(file.getParent(), "part-", ".tmp");
        Files.write(part, trained.bytes());
        Files.move(part, dictionary(file), StandardCopyOption.ATOMIC_MOVE);
        return ((FramedCodec) codec).with(trained);
    }

    static void deleteDictionary(Path file) throws IOException {
        Files.deleteIfExists(dictionary(file));
    }
}
