package dev.blobmark.fleet;

import dev.blobmark.fleet.host.Address;
import dev.blobmark.fleet.host.Application;
import dev.blobmark.fleet.host.SparkDriver;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The stages of a fleet, run by a Spark driver in a process of its own. Each stage is an application. */
final class SparkProcess implements Hosts.Stage {

    /** What Spark needs on Java 17 and newer (Spark 4.2, {@code org.apache.spark.launcher.JavaModuleOptions}). */
    private static final List<String> MODULES = List.of(
            "-XX:+IgnoreUnrecognizedVMOptions",
            "--add-modules=jdk.incubator.vector",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
            "--add-opens=java.base/java.io=ALL-UNNAMED",
            "--add-opens=java.base/java.net=ALL-UNNAMED",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED",
            "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
            "--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED",
            "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.cs=ALL-UNNAMED",
            "--add-opens=java.base/sun.security.action=ALL-UNNAMED",
            "--add-opens=java.base/sun.util.calendar=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED",
            "-Djdk.reflect.useDirectMethodHandle=false",
            "-Dio.netty.tryReflectionSetAccessible=true");

    private static final int END_SECONDS = 10;

    private final String classPath;
    private final Application application;
    private final Path scratch;

    /** @param classPath of Spark, and of the tasks */
    SparkProcess(String classPath, Application application, Path scratch) {
        this.classPath = classPath;
        this.application = application;
        this.scratch = scratch;
    }

    @Override
    public CompletableFuture<Void> run(Address blobmark, int count) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(MODULES);
        command.addAll(List.of(
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-Djava.io.tmpdir=" + scratch,
                "-cp",
                classPath,
                SparkDriver.class.getName()));
        Path log = scratch.resolve("spark.log");
        Process process =
                new ProcessBuilder(command).redirectError(log.toFile()).start();
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Thread waiting = new Thread(() -> await(process, blobmark, count, log, ended), "fleet-spark");
        waiting.setDaemon(true);
        waiting.start();
        return ended;
    }

    /** Orders a stage, and returns the reason of its failure when it has ended; empty if it has not failed. */
    static String stage(InputStream in, OutputStream out, Application application, Address blobmark, int count)
            throws IOException {
        try (DataOutputStream orders = new DataOutputStream(out);
                DataInputStream answers = new DataInputStream(in)) {
            application.write(orders);
            orders.flush();
            String reason = answers.readUTF();
            if (reason.isEmpty()) {
                orders.writeInt(count);
                blobmark.write(orders);
                orders.flush();
                reason = answers.readUTF();
            }
            return reason;
        }
    }

    /** Ends the process when its stage has ended. If this JVM is killed, the end of the orders ends the process. */
    private void await(Process process, Address blobmark, int count, Path log, CompletableFuture<Void> ended) {
        String reason;
        try {
            reason = stage(process.getInputStream(), process.getOutputStream(), application, blobmark, count);
        } catch (IOException e) {
            reason = "Spark's driver has ended; " + lastLine(log);
        }
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
        }
        complete(ended, reason);
    }

    static void complete(CompletableFuture<Void> ended, String reason) {
        if (reason.isEmpty()) {
            ended.complete(null);
        } else {
            ended.completeExceptionally(new IOException(reason));
        }
    }

    private static String lastLine(Path log) {
        try {
            List<String> lines =
                    Files.readString(log, StandardCharsets.UTF_8).lines().toList();
            return lines.isEmpty() ? "it printed nothing" : "its last line: " + lines.get(lines.size() - 1);
        } catch (IOException e) {
            return "its log cannot be read: " + e.getMessage();
        }
    }
}
