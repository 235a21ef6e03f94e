package dev.blobmark.cli;

import dev.blobmark.lab.run.RunJson;
import dev.blobmark.lab.run.Visible;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.column.ColumnFormat;
import dev.blobmark.reencode.column.ColumnReading;
import dev.blobmark.reencode.column.StoredColumn;
import dev.blobmark.reencode.column.StoredColumn.Stored;
import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.DictionaryException;
import dev.blobmark.value.DictionaryFiles;
import dev.blobmark.value.FrameException;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code blobmark decode}: what is stored, as the application reads it. */
@Command(
        name = "decode",
        description = {
            "Decodes a value that is stored in the value format: of a row, of a file, or all of a column as JSON lines."
                    + " Writes nothing to the server."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  blobmark decode shop.orders.payload --key 42 --server mysql://app@db1:3306/",
            "  blobmark decode shop.orders.payload --key 42 --server mysql://app@db1:3306/ > value",
            "  blobmark decode shop.parts.doc --key DE --key 7 --server mysql://app@db1:3306/",
            "  blobmark decode shop.files.doc --key 0x00FF12 --server mysql://app@db1:3306/",
            "  blobmark decode shop.orders.payload --all --server mysql://app@db1:3306/ > orders.jsonl",
            "  blobmark decode stored.bin --dictionaries dictionaries"
        })
final class DecodeCommand extends BlobmarkCommand {

    /** Bytes of a value that a terminal shows. */
    private static final int SHOWN_BYTES = 4 << 10;

    private static final int BYTES_OF_A_LINE = 16;

    /** Values of the user's table, as in all files that Blobmark makes of them. */
    private static final FileAttribute<?> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    @Parameters(
            paramLabel = "COLUMN|FILE",
            description = "With --server: SCHEMA.TABLE.COLUMN. Without: a file with what is stored for one value.")
    private String source;

    @Option(
            names = "--key",
            paramLabel = "VALUE",
            description = "The row's key. If it has several columns, one option for each, in their order. Bytes are"
                    + " written as 0x and hexadecimal digits, as survey --values shows them.")
    private List<String> key = List.of();

    @Option(names = "--all", description = "All rows in the order of the key, as JSON lines.")
    private boolean isAll;

    @Option(names = "--server", paramLabel = "SERVER", description = "The running server: mysql://USER@HOST:PORT/.")
    private String server;

    @Option(
            names = "--dictionaries",
            paramLabel = "DIR",
            description = "Of a file: the directory of its dictionaries, as 0f3a9c.zdict. A column's are in"
                    + " blobmark_dictionaries of its schema.")
    private Path dictionaries;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "Write to a new file. Default: standard output; on a terminal, text with control characters"
                    + " escaped, or else a hexadecimal dump.")
    private Path out;

    @Mixin
    private ColumnOptions column;

    @Mixin
    private LoadOptions load;

    @Mixin
    private ConnectionOptions connection;

    @Override
    public Integer call() throws Exception {
        ColumnReading reading = column.reading(); // a wrong word is found first
        if (server == null) {
            return decodeFile(reading);
        }
        if (dictionaries != null) {
            throw usage("--dictionaries is for a file; those of a column are in its schema");
        }
        if (key.isEmpty() != isAll) {
            throw usage(isAll ? "--all reads all rows; leave out --key" : "name a row by --key, or all by --all");
        }
        TableColumn table;
        try {
            table = TableColumn.named(source);
        } catch (IllegalArgumentException e) {
            throw usage(e.getMessage());
        }
        Servers.Source running = connection.source(server, true, spec);
        if (running.isOwn()) {
            throw usage("--server: '" + server + "' is a server that Blobmark starts, and has no table of yours; name a"
                    + " running one, as in --server mysql://USER@HOST:PORT/");
        }
        try (StoredColumn stored =
                StoredColumn.open(running, Variables.cache(), table, reading, load.tolerated(), err()::println)) {
            ColumnFormat format = stored.format();
            if (isAll) {
                return export(stored, format);
            }
            Stored row = stored.find(key)
                    .orElseThrow(() ->
                            usage("--key: " + table.name() + " has no row with the key " + String.join(", ", key)));
            if (row.isNull()) {
                say("NULL");
                return ExitCode.DONE.code();
            }
            byte[] bytes = row.stored()
                    .orElseThrow(() -> new IOException(
                            "it has " + row.storedBytes() + " bytes, and at most " + stored.mostStored()));
            return decode(bytes, format);
        }
    }

    private int decodeFile(ColumnReading reading) throws IOException {
        if (isAll || !key.isEmpty()) {
            throw usage("--key and --all are for a column; add --server mysql://USER@HOST:PORT/");
        }
        Dictionaries found = dictionaries == null ? Dictionaries.NONE : DictionaryFiles.in(dictionaries);
        return decode(Files.readAllBytes(Path.of(source)), new ColumnFormat(reading, found));
    }

    private int decode(byte[] stored, ColumnFormat format) throws IOException {
        say(format.form(stored) + ", " + stored.length + " bytes stored");
        byte[] value;
        try {
            value = format.decode(stored);
        } catch (FrameException | DictionaryException e) {
            throw new IOException(e.getMessage(), e);
        }
        if (out != null || !Terminal.isOutput()) {
            try (OutputStream to = output()) {
                to.write(value);
            }
        } else {
            PrintWriter terminal = out();
            terminal.print(text(value).map(text -> Visible.of(text) + "\n").orElseGet(() -> dump(value)));
            terminal.flush();
        }
        return ExitCode.DONE.code();
    }

    /** Text of UTF-8 without characters that no text has. */
    private static Optional<String> text(byte[] value) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(value))
                            .toString())
                    .filter(text -> text.indexOf('\0') < 0);
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    /** The first bytes as digits and characters. */
    static String dump(byte[] value) {
        StringBuilder dump = new StringBuilder();
        HexFormat hex = HexFormat.ofDelimiter(" ");
        for (int from = 0; from < Math.min(value.length, SHOWN_BYTES); from += BYTES_OF_A_LINE) {
            byte[] line = Arrays.copyOfRange(value, from, Math.min(value.length, from + BYTES_OF_A_LINE));
            StringBuilder characters = new StringBuilder();
            for (byte each : line) {
                characters.append(each >= ' ' && each < 0x7F ? (char) each : '.');
            }
            dump.append(
                    String.format("%08x  %-" + 3 * BYTES_OF_A_LINE + "s %s%n", from, hex.formatHex(line), characters));
        }
        return dump + (value.length > SHOWN_BYTES ? "… " + (value.length - SHOWN_BYTES) + " more bytes\n" : "")
                + "The value is no text; --out FILE writes it to a file.\n";
    }

    /** A line for each row; it stays valid when it is ended. */
    private int export(StoredColumn stored, ColumnFormat format) throws Exception {
        long[] unreadable = new long[1];
        try (OutputStream to = out == null && Terminal.isOutput() ? terminal() : output()) {
            stored.forEach(row -> {
                Map<String, Object> line = line(row, format, stored.mostStored());
                unreadable[0] += line.containsKey("error") ? 1 : 0;
                try {
                    to.write((RunJson.MAPPER.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
        if (unreadable[0] > 0) {
            say(unreadable[0] + " values cannot be read: their lines have an error");
            return ExitCode.ERROR.code();
        }
        return ExitCode.DONE.code();
    }

    private static Map<String, Object> line(Stored row, ColumnFormat format, String most) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("key", row.keyColumns());
        if (row.stored().isEmpty()) {
            line.put("form", row.isNull() ? "NULL" : "too long to be read");
            line.put(
                    row.isNull() ? "text" : "error",
                    row.isNull() ? null : "it has " + row.storedBytes() + " bytes, and at most " + most);
            return line;
        }
        byte[] bytes = row.stored().get();
        line.put("form", format.form(bytes));
        try {
            byte[] value = format.decode(bytes);
            Optional<String> text = text(value);
            line.put(
                    text.isPresent() ? "text" : "base64",
                    text.orElseGet(() -> Base64.getEncoder().encodeToString(value)));
        } catch (FrameException | UnsupportedOperationException e) {
            line.put("error", e.getMessage());
        }
        return line;
    }

    private OutputStream output() throws IOException {
        return new BufferedOutputStream(
                out == null
                        ? new FileOutputStream(FileDescriptor.out)
                        : Channels.newOutputStream(Files.newByteChannel(
                                out, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), PRIVATE)));
    }

    /** Control characters are escaped. */
    private OutputStream terminal() {
        PrintWriter to = out();
        return new OutputStream() {
            @Override
            public void write(int b) {
                throw new UnsupportedOperationException("lines only");
            }

            @Override
            public void write(byte[] line, int from, int length) {
                to.print(Visible.of(new String(line, from, length, StandardCharsets.UTF_8)));
            }

            @Override
            public void close() {
                to.flush();
            }
        };
    }

    private void say(String text) {
        err().println(Visible.of(text));
    }
}
