package dev.blobmark.lab.store;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.CodecFamily;
import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.study.Factor;
import java.util.Optional;
import java.util.Set;

/** The factor {@code codec}: how the bytes in the column are encoded. */
public final class StoredCodec {

    public static final Factor<Codec> FACTOR = new Factor<>(
                    "codec",
                    Factor.Home.METHOD,
                    Set.of(Factor.Shape.STORE),
                    Set.of(Factor.Use.VALUES),
                    "how values are encoded in the column",
                    Codecs.all().stream().map(CodecFamily::name).toList(),
                    Optional.of("none"),
                    Codecs::parse,
                    Codec::id)
            .withForm("("
                    + Factor.alternatives(
                            Codecs.all().stream().map(CodecFamily::name).toList()) + ")(:-?[0-9]+)?(\\+len)?");

    private StoredCodec() {}
}
