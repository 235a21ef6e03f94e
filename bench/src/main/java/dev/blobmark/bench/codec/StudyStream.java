package dev.blobmark.bench.codec;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.commons.compress.compressors.deflate.DeflateCompressorInputStream;
import org.apache.commons.compress.compressors.deflate.DeflateCompressorOutputStream;
import org.apache.commons.compress.compressors.deflate.DeflateParameters;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;
import org.apache.commons.compress.compressors.zstandard.ZstdCompressorInputStream;
import org.apache.commons.compress.compressors.zstandard.ZstdCompressorOutputStream;

/**
 * How the published studies called a codec: with the streams of commons-compress, from one array into a new one. Each
 * stream writes the format that the codec of the same name reads, and vice versa.
 */
enum StudyStream {
    gzip {
        @Override
        InputStream decoder(InputStream source) throws IOException {
            return new GzipCompressorInputStream(source);
        }

        @Override
        OutputStream encoder(OutputStream target) throws IOException {
            return new GzipCompressorOutputStream(target);
        }
    },
    deflate {
        @Override
        InputStream decoder(InputStream source) {
            return new DeflateCompressorInputStream(source, bare());
        }

        @Override
        OutputStream encoder(OutputStream target) {
            return new DeflateCompressorOutputStream(target, bare());
        }

        /** The library's default is the zlib format. */
        private static DeflateParameters bare() {
            DeflateParameters parameters = new DeflateParameters();
            parameters.setWithZlibHeader(false);
            return parameters;
        }
    },
    zstd {
        @Override
        InputStream decoder(InputStream source) throws IOException {
            return new ZstdCompressorInputStream(source);
        }

        @Override
        OutputStream encoder(OutputStream target) throws IOException {
            return new ZstdCompressorOutputStream(target);
        }
    };

    abstract InputStream decoder(InputStream source) throws IOException;

    abstract OutputStream encoder(OutputStream target) throws IOException;

    /** The codec of the same format; both use its default level. */
    Codec codec() {
        return Codecs.parse(name());
    }

    byte[] encode(byte[] value) throws IOException {
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        try (OutputStream stream = encoder(target)) {
            stream.write(value);
        }
        return target.toByteArray();
    }

    byte[] decode(byte[] encoded) throws IOException {
        try (InputStream stream = decoder(new ByteArrayInputStream(encoded))) {
            return stream.readAllBytes();
        }
    }
}
