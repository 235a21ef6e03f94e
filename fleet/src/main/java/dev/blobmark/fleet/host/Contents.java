package dev.blobmark.fleet.host;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Forms of the contents of messages. */
final class Contents {

    private Contents() {}

    /** Writes the content of a message. */
    interface ContentWriter {
        void write(DataOutputStream out) throws IOException;
    }

    static byte[] bytes(ContentWriter content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            content.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // a text that is too long
        }
        return bytes.toByteArray();
    }

    static void write(DataOutputStream out, List<String> texts) throws IOException {
        out.writeShort(texts.size());
        for (String text : texts) {
            out.writeUTF(text);
        }
    }

    static List<String> texts(DataInputStream in) throws IOException {
        List<String> texts = new ArrayList<>();
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            texts.add(in.readUTF());
        }
        return texts;
    }
}
