package dev.blobmark.cli;

import dev.blobmark.cli.shards.ShardOrder;
import dev.blobmark.lab.run.PrivateFiles;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.directory.Scratch;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;

/**
 * The main class of a process that changes the table of one of several servers, or parts of one table. Its first line
 * of standard input is a {@link ShardOrder}; each further line is a command as the socket takes it, or one for a
 * writer. It stops when its standard input ends, because then nobody knows of it.
 */
public final class ShardMain {

    private ShardMain() {}

    public static void main(String[] args) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line = lines.readLine();
        if (line == null) {
            System.exit(ExitCode.ERROR.code());
        }
        ShardOrder order = ShardOrder.parse(line);
        order.password().ifPresent(Variables::usePassword);
        // whoever started this process removes it: after a kill, nothing of it is left elsewhere
        Variables.useCache(Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath());
        Scratch scratch = scratch();
        CountDownLatch ended = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> clean(scratch, ended), "clean-shard"));
        int code = ExitCode.ERROR.code();
        try {
            code = execute(order, scratch.path(), lines);
        } finally {
            ended.countDown();
        }
        System.exit(code);
    }

    private static Scratch scratch() {
        try {
            return Scratch.make(Variables.cache());
        } catch (ServerException e) { // whoever started this process shows the last line
            System.err.println(e.getMessage());
            System.exit(ExitCode.ERROR.code());
            throw e;
        }
    }

    private static int execute(ShardOrder order, Path directory, BufferedReader lines) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("reencode"));
        arguments.addAll(order.arguments());
        Map<String, Optional<String>> options = new HashMap<>(order.login().options());
        for (Map.Entry<String, String> file : order.login().certificates().entrySet()) {
            Path copy = PrivateFiles.createOrReplace(directory.resolve(file.getKey()));
            Files.writeString(copy, file.getValue());
            options.put(file.getKey(), Optional.of(copy.toString()));
        }
        Variables.useConnectionOptions(options);
        CommandLine command =
                Main.commandLine().setOut(Main.utf8(new LiveOutput(new FileOutputStream(FileDescriptor.out)).start()));
        ReencodeCommand reencode = command.getSubcommands().get("reencode").getCommand();
        if (order.isWriter()) {
            reencode.writeForAnother();
        }
        Thread commands = new Thread(() -> take(lines, reencode), "commands");
        commands.setDaemon(true);
        commands.start();
        return command.execute(arguments.toArray(String[]::new));
    }

    /**
     * Deletes the copies of certificates, also when the process is interrupted; the command that uses them ends first.
     */
    private static void clean(Scratch scratch, CountDownLatch ended) {
        try {
            ended.await(ReencodeCommand.STOP_PATIENCE_SECONDS, TimeUnit.SECONDS);
            scratch.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ServerException e) {
            System.err.println(e.getMessage());
        }
    }

    private static void take(BufferedReader lines, ReencodeCommand reencode) {
        try {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                reencode.command(line);
            }
        } catch (IOException e) {
            // the same as the end
        }
        System.exit(ExitCode.INTERRUPTED.code()); // what the command does then, it does on Ctrl-C too
    }
}
