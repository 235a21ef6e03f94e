package dev.blobmark.fleet.host;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UTFDataFormatException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What is sent over a {@link Channel}. */
public sealed interface Message {

    byte type();

    byte[] content();

    /** Which messages are allowed at one end of a connection. */
    interface MessageReader<M extends Message> {

        /** How long the content of a type may be, in bytes; negative if the type is not allowed. */
        int mostBytes(byte type);

        M read(byte type, DataInputStream content) throws IOException;
    }

    /** @throws ViolationException if the content is not exactly that of the type */
    static <M extends Message> M parsed(MessageReader<M> reader, byte type, byte[] content) throws IOException {
        try {
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(content));
            M message = reader.read(type, in);
            if (in.available() > 0) {
                throw new ViolationException("a message of the type " + type + " that is too long");
            }
            return message;
        } catch (EOFException | UTFDataFormatException | CharacterCodingException | IllegalArgumentException e) {
            throw new ViolationException("a malformed message of the type " + type
                    + (e instanceof IllegalArgumentException ? ": " + e.getMessage() : ""));
        }
    }

    /** The longest line, in bytes. A measuring JVM sends some KB. */
    int MOST_LINE_BYTES = 16 << 20;

    /** The most of what a process has printed. */
    int MOST_PRINTED_BYTES = 64 << 10;

    /** Bytes of a part of a file. */
    int PART_BYTES = 64 << 10;

    /** Bytes of texts and lists of texts. */
    int MOST_TEXT_BYTES = 64 << 10;

    /** Bytes of what a connection to a server needs: certificates may be long. */
    int MOST_LOGIN_BYTES = 1 << 20;

    /** To a host. */
    sealed interface HostOrder extends Message {

        MessageReader<HostOrder> READER = new MessageReader<>() {
            @Override
            public int mostBytes(byte type) {
                return switch (type) {
                    case Ping.TYPE -> Long.BYTES;
                    case StartProcess.TYPE -> MOST_TEXT_BYTES;
                    case EndTask.TYPE -> 0;
                    default -> -1;
                };
            }

            @Override
            public HostOrder read(byte type, DataInputStream in) throws IOException {
                return switch (type) {
                    case Ping.TYPE -> new Ping(in.readLong());
                    case StartProcess.TYPE -> new StartProcess(in.readInt(), in.readUTF(), Contents.texts(in));
                    default -> new EndTask();
                };
            }
        };
    }

    /** Answer with the time. */
    record Ping(long number) implements HostOrder {
        static final byte TYPE = 1;

        @Override
        public byte type() {
            return TYPE;
        }

        @Override
        public byte[] content() {
            return Contents.bytes(out -> out.writeLong(number));
        }
    }

    /**
     * Start a process, which connects by itself.
     *
     * @param main class
     * @param flags of the JVM
     */
    record StartProcess(int id, String main, List<String> flags) implements HostOrder {
        static final byte TYPE = 2;

        public StartProcess {
            flags = List.copyOf(flags);
        }

        @Override
        public byte type() {
            return TYPE;
        }

        @Override
        public byte[] content() {
            return Contents.bytes(out -> {
                out.writeInt(id);
                out.writeUTF(main);
                Contents.write(out, flags);
            });
        }
    }

    /** End the task, and its processes. */
    record EndTask() implements HostOrder {
        static final byte TYPE = 3;

        @Override
        public byte type() {
            return TYPE;
        }

        @Override
        public byte[] content() {
            return new byte[0];
        }
    }

    /** From a host. */
    sealed interface HostAnswer extends Message {

        MessageReader<HostAnswer> READER = new MessageReader<>() {
            @Override
            public int mostBytes(byte type) {
                return switch (type) {
                    case Hello.TYPE -> HostFacts.MOST_BYTES;
                    case Pong.TYPE -> 2 * Long.BYTES;
                    default -> -1;
                };
            }

            @Override
            public HostAnswer read(byte type, DataInputStream in) throws IOException {
                return type == Hello.TYPE ? new Hello(HostFacts.read(in)) : new Pong(in.readLong(), in.readLong());
            }
        };
    }

    /** The first answer. */
    record Hello(HostFacts facts) implements HostAnswer {
        static final byte TYPE = 11;

        @Override
        public byte type() {
            return TYPE;
        }

        @Override
        public byte[] content() {
            return Contents.bytes(facts::write);
        }
    }

    /**
     * The answer to a ping.
     *
     * @param number of the ping
     * @param time in nanoseconds since 1970
     */
    record Pong(long number, long time) implements HostAnswer {
        static final byte TYPE = 12;

        @Override
        public byte type() {
            return TYPE;
        }

        @Override
        public byte[] content() {
            return Contents.bytes(out -> {
                out.writeLong(number);
                out.writeLong(time);
            });
        }
    }

    /** To a process. */
    sealed interface Input extends Message permits ProcessLine, FileBegin, FilePart {

        MessageReader<Input> READER = new MessageReader<>() {
            @Override
            public int mostBytes(byte type) {
                return switch (type) {
                    case ProcessLine.TYPE -> MOST_LINE_BYTES;
                    case FileBegin.TYPE -> MOST_TEXT_BYTES;
                    case FilePart.TYPE -> PART_BYTES;
                    default -> -1;
                };
            }

            @Override
            public Input read(byte type, DataInputStream in) throws IOException {
                return switch (type) {
                    case ProcessLine.TYPE -> ProcessLine.read(in);
                    case FileBegin.TYPE -> new FileBegin(in.readUTF(), in.readLong());
                    default -> new FilePart(in.readAllBytes());
                };
            }
        };
    }

    /** From a process. */
    sealed interface ProcessOutput extends Message permits ProcessReady, ProcessLine, ProcessEnded, NotStarted {

        MessageReader<ProcessOutput> READER = new MessageReader<>() {
            @Override
            public int mostBytes(byte type) {
                return switch (type) {
                    case ProcessReady.TYPE, NotStarted.TYPE -> MOST_TEXT_BYTES;
                    case ProcessLine.TYPE -> MOST_LINE_BYTES;
                    case ProcessEnded.TYPE -> Integer.BYTES + MOST_PRINTED_BYTES;
                    default -> -1;
                };
            }

            @Override
            public ProcessOutput read(byte type, DataInputStream in) throws IOException {
                return switch (type) {
                    case ProcessReady.TYPE -> new ProcessReady(in.readUTF());
                    case ProcessLine.TYPE -> ProcessLine.read(in);
                    case NotStarted.TYPE -> new NotStarted(in.readUTF());
                    default -> new ProcessEnded(in.readInt(), in.readAllBytes());
                };
            }
        };
    }

    /** A line of a process, in either direction, without its end. */
    record ProcessLine(String text) implements Input, ProcessOutput {
        static final byte TYPE = 21;

        static ProcessLine read(DataInputStream in) throws IOException {
            return new ProcessLine(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(in.readAllBytes()))
                    .toString());
        }

        @Override
        public byte type() {
            return TYPE;
        }

        @Override
        public byte[] content() {
            return text.getBytes(StandardCharsets.UTF_8);
        }
    }

    /**
     * A file of values follows in parts.
     *
     * @param name relative to the directory of values
     * @param length in bytes
     */
    record FileBegin(String name, long length) implements Input {
        static final byte TYPE = 22;

        public FileBegin {
            if (length < 0) {
                throw new IllegalArgumentException("a file of " + length + " bytes");
            }
        }

        @Override
        public byte type() {
            return TYPE;
        }

        @Override
        public byte[] content() {
            return Contents.bytes(out -> {
                out.writeUTF(name);
                out.writeLong(length);
            });
        }
    }

    /** A part of the file. */
    record FilePart(byte[] content) implements Input {
        static final byte TYPE = 23;

        @Override
        public byte type() {
            return TYPE;
        }
    }

    /**
     * The first message of a process.
     *
     * @param values directory of files of values on the host
     */
    record ProcessReady(String values) implements ProcessOutput {
        static final byte TYPE = 31;

        @Override
        public byte type() {
            return TYPE;
        }

        @Override
        public byte[] content() {
            return Contents.bytes(out -> out.writeUTF(values));
        }
    }

    /** The last message of a process: it has ended by itself. */
    record ProcessEnded(int code, byte[] printed) implements ProcessOutput {
        static final byte TYPE = 32;

        @Override
        public byte type() {
            return TYPE;
        }

        @Override
        public byte[] content() {
            return Contents.bytes(out -> {
                out.writeInt(code);
                out.write(printed);
            });
        }
    }

    /** The last message: the host could not start the process, or not serve it any more. */
    record NotStarted(String reason) implements ProcessOutput {
        static final byte TYPE = 33;

        @Override
        public byte type() {
            return TYPE;
        }

        @Override
        public byte[] content() {
            return Contents.bytes(out -> out.writeUTF(reason));
        }
    }

    /**
     * What a scan needs to connect to a server. It has the password, and is never printed.
     *
     * @param properties of the driver
     * @param files contents of the files that properties name
     */
    record ScanLogin(String url, Map<String, String> properties, Map<String, byte[]> files) implements Message {
        static final byte TYPE = 41;

        static final MessageReader<ScanLogin> READER = new MessageReader<>() {
            @Override
            public int mostBytes(byte type) {
                return type == TYPE ? MOST_LOGIN_BYTES : -1;
            }

            @Override
            public ScanLogin read(byte type, DataInputStream in) throws IOException {
                String url = in.readUTF();
                Map<String, String> properties = new HashMap<>();
                for (int left = in.readUnsignedShort(); left > 0; left--) {
                    properties.put(in.readUTF(), in.readUTF());
                }
                Map<String, byte[]> files = new HashMap<>();
                for (int left = in.readUnsignedShort(); left > 0; left--) {
                    String name = in.readUTF();
                    byte[] content = in.readNBytes(in.readInt());
                    files.put(name, content);
                }
                return new ScanLogin(url, properties, files);
            }
        };

        @Override
        public byte type() {
            return TYPE;
        }

        @Override
        public byte[] content() {
            return Contents.bytes(out -> {
                out.writeUTF(url);
                out.writeShort(properties.size());
                for (Map.Entry<String, String> property : properties.entrySet()) {
                    out.writeUTF(property.getKey());
                    out.writeUTF(property.getValue());
                }
                out.writeShort(files.size());
                for (Map.Entry<String, byte[]> file : files.entrySet()) {
                    out.writeUTF(file.getKey());
                    out.writeInt(file.getValue().length);
                    out.write(file.getValue());
                }
            });
        }

        @Override
        public String toString() {
            return url;
        }
    }
}
