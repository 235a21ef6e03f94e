package dev.blobmark.codec.example;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

public final class CompressValue {

    public static void main(String[] args) {
        byte[] value = "all work and no play ".repeat(50).getBytes(StandardCharsets.UTF_8);
        Codec codec = Codecs.parse("zstd:3"); // thread-safe, keep it

        byte[] buffer = new byte[codec.maxEncodedLength(value.length)];
        int encoded = codec.encode(value, 0, value.length, buffer, 0);

        byte[] decoded = new byte[value.length];
        int length = codec.decode(buffer, 0, encoded, decoded, 0, decoded.length);
        System.out.println(codec.id() + ": " + value.length + " bytes in less than 100: " + (encoded < 100)
                + ", the same again: " + (length == value.length && Arrays.equals(value, decoded)));
    }
}
