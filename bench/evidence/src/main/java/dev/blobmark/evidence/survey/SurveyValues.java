package dev.blobmark.evidence.survey;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.SplittableRandom;

/** Values of ten kinds, as columns of applications have them. */
enum SurveyValues {
    JSON {
        @Override
        byte[] value(SplittableRandom random, double share, int bytes) {
            return bytes("{\"id\": " + random.nextInt(1_000_000) + ", \"state\": \""
                    + (random.nextBoolean() ? "open" : "paid") + "\", \"price\": " + random.nextInt(100_000)
                    + ", \"text\": \"" + text(random, bytes) + "\"}");
        }
    },
    PROSE {
        @Override
        byte[] value(SplittableRandom random, double share, int bytes) {
            return bytes(text(random, bytes));
        }
    },
    XML {
        @Override
        byte[] value(SplittableRandom random, double share, int bytes) {
            StringBuilder xml = new StringBuilder("<list>");
            while (xml.length() < bytes) {
                xml.append("<item id=\"")
                        .append(random.nextInt(100_000))
                        .append("\"><name>")
                        .append(text(random, 20));
                xml.append("</name><amount currency=\"EUR\">")
                        .append(random.nextInt(1_000))
                        .append("</amount></item>");
            }
            return bytes(xml.append("</list>").toString());
        }
    },
    HEX {
        @Override
        byte[] value(SplittableRandom random, double share, int bytes) {
            return bytes(HexFormat.of().formatHex(noise(random, bytes / 2)));
        }
    },
    BASE64 {
        @Override
        byte[] value(SplittableRandom random, double share, int bytes) {
            return Base64.getEncoder().encode(noise(random, bytes * 3 / 4));
        }
    },
    NOISE {
        @Override
        byte[] value(SplittableRandom random, double share, int bytes) {
            return noise(random, bytes);
        }
    },
    JPEG {
        @Override
        byte[] value(SplittableRandom random, double share, int bytes) {
            byte[] jpeg = noise(random, 20 * bytes);
            System.arraycopy(new byte[] {(byte) 0xff, (byte) 0xd8, (byte) 0xff, (byte) 0xe0}, 0, jpeg, 0, 4);
            return jpeg;
        }
    },
    GZIP {
        @Override
        byte[] value(SplittableRandom random, double share, int bytes) {
            byte[] text = bytes(text(random, 2 * bytes));
            Codec gzip = Codecs.parse("gzip:1");
            byte[] target = new byte[gzip.maxEncodedLength(text.length)];
            return Arrays.copyOf(target, gzip.encode(text, 0, text.length, target, 0));
        }
    },
    /** The first part of the table by key is text, the rest encrypted. */
    CHANGED {
        @Override
        byte[] value(SplittableRandom random, double share, int bytes) {
            return share < 0.4 ? bytes(text(random, bytes)) : noise(random, bytes);
        }
    },
    /** One row in fifty has a value that is a hundred times as long. */
    UNEVEN {
        @Override
        byte[] value(SplittableRandom random, double share, int bytes) {
            return bytes(text(random, random.nextInt(50) == 0 ? 100 * bytes : bytes));
        }
    };

    private static final String[] WORDS = words();

    /**
     * @param share of the table's rows that are before it, 0 to 1
     * @param bytes length of a usual value, about
     */
    abstract byte[] value(SplittableRandom random, double share, int bytes);

    private static String[] words() {
        SplittableRandom random = new SplittableRandom(1);
        String[] words = new String[2_000];
        Arrays.setAll(words, i -> Integer.toString(random.nextInt(1 << (10 + i % 20)), 36));
        return words;
    }

    private static String text(SplittableRandom random, int length) {
        StringBuilder text = new StringBuilder(length + 10);
        while (text.length() < length) {
            // the product favours some words over others
            text.append(WORDS[(int) (random.nextDouble() * random.nextDouble() * WORDS.length)])
                    .append(' ');
        }
        return text.toString();
    }

    private static byte[] noise(SplittableRandom random, int length) {
        byte[] noise = new byte[length];
        random.nextBytes(noise);
        return noise;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
