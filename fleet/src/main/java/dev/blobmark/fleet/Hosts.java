package dev.blobmark.fleet;

import dev.blobmark.fleet.host.Address;
import dev.blobmark.fleet.host.Channel;
import dev.blobmark.fleet.host.Frames;
import dev.blobmark.lab.server.own.SelfSignedCertificate;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/**
 * The hosts of a fleet that have joined. Each has one task of Spark, which connects to this. When one is lost, the
 * tasks of all end, and are started again for the next process.
 */
final class Hosts implements AutoCloseable {

    private static final int TOKEN_BYTES = 32;
    private static final int HANDSHAKE_MILLIS = 10_000;
    private static final int JOIN_SECONDS = 120;
    private static final int END_SECONDS = 20;
    private static final int POLL_MILLIS = 200;

    private final Stage stage;
    private final int count;
    private final SSLServerSocket listening;
    private final Address address;
    private final Rendezvous rendezvous = new Rendezvous(this::joined);
    private final List<Host> joined = new ArrayList<>();
    private final Map<Integer, CompletableFuture<Channel>> expected = new ConcurrentHashMap<>();
    private final Object starting = new Object();
    private final AtomicInteger nextProcess = new AtomicInteger();
    private CompletableFuture<Void> running = CompletableFuture.completedFuture(null);
    private boolean closed;

    /** Runs a task on each host, all at once. */
    interface Stage {

        /** @return completed when all tasks have ended, exceptionally if one has failed */
        CompletableFuture<Void> run(Address blobmark, int count) throws IOException;
    }

    /**
     * @param bind address of this machine that hosts can reach
     * @param scratch directory for temporary files
     */
    Hosts(Stage stage, int count, InetAddress bind, Path scratch) throws IOException {
        this.stage = stage;
        this.count = count;
        byte[] token = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(token);
        Path directory = Files.createTempDirectory(scratch, "blobmark-fleet-");
        SelfSignedCertificate made = SelfSignedCertificate.make(directory);
        try {
            Certificate certificate = certificate(made.certificate());
            listening = (SSLServerSocket) context(made.key(), certificate)
                    .getServerSocketFactory()
                    .createServerSocket(0, 2 * count + 16, bind);
            address = new Address(bind.getHostAddress(), listening.getLocalPort(), token, certificate.getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        } finally {
            Files.delete(made.key());
            Files.delete(made.certificate());
            Files.delete(directory);
        }
        Thread accepting = new Thread(this::accept, "fleet-accept");
        accepting.setDaemon(true);
        accepting.start();
    }

    private static Certificate certificate(Path pem) throws IOException, GeneralSecurityException {
        return CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(Files.readAllBytes(pem)));
    }

    private static SSLContext context(Path pem, Certificate certificate) throws IOException, GeneralSecurityException {
        String base64 = Files.readString(pem, StandardCharsets.US_ASCII)
                .replaceAll("-----[A-Z ]+-----", "")
                .replaceAll("\\s", "");
        PrivateKey key = KeyFactory.getInstance("RSA")
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64)));
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, null);
        keys.setKeyEntry("blobmark", key, new char[0], new Certificate[] {certificate});
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, new char[0]);
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Channel channel = new Channel(listening.accept());
                Thread greeting = new Thread(() -> greet(channel), "fleet-greet");
                greeting.setDaemon(true);
                greeting.start();
            } catch (IOException e) {
                // closed, or a connection that failed at once
            }
        }
    }

    /** A connection that does not know the token, or says nothing, is closed. */
    private void greet(Channel channel) {
        try {
            channel.setPatience(HANDSHAKE_MILLIS);
            byte kind = Channel.accept(channel, address.token());
            if (kind == Channel.CONTROL) {
                Host host = Host.greet(channel);
                channel.setPatience(0);
                join(host);
            } else {
                CompletableFuture<Channel> process =
                        expected.remove(channel.in().readInt());
                channel.setPatience(0);
                if (process == null || !process.complete(channel)) {
                    channel.close();
                }
            }
        } catch (IOException e) {
            channel.close();
        }
    }

    private synchronized void join(Host host) {
        if (closed) {
            host.close();
        } else {
            joined.add(host);
            notifyAll();
        }
    }

    private synchronized List<Host> joined() {
        return List.copyOf(joined);
    }

    /**
     * The hosts, in the order of their names; starts their tasks if they do not run.
     *
     * @throws IOException if not all of them have joined within two minutes, or the tasks have failed
     */
    List<Host> all() throws IOException {
        synchronized (starting) { // while one waits for hosts, the others must not start them too
            return started();
        }
    }

    private synchronized List<Host> started() throws IOException {
        requireOpen();
        joined.removeIf(host -> !host.isThere());
        if (running.isDone() || joined.size() < count) {
            joined.forEach(Host::close);
            joined.clear();
            awaitEnd();
            running = stage.run(address, count);
            awaitHosts();
        }
        return joined.stream()
                .sorted(Comparator.comparing(host -> host.facts().name()))
                .toList();
    }

    private void requireOpen() throws IOException {
        if (closed) {
            throw new IOException("the fleet has been closed");
        }
    }

    private void awaitHosts() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(JOIN_SECONDS);
        while (joined.size() < count) {
            requireOpen();
            if (running.isCompletedExceptionally()) {
                throw new IOException("the hosts could not be started: " + failure(running));
            }
            if (System.nanoTime() > deadline) {
                throw new IOException(joined.size() + " of " + count + " hosts have joined within " + JOIN_SECONDS
                        + " s; check that the cluster has " + count
                        + " free executors with a core each, and that they can"
                        + " connect to " + address.host() + ", or give fewer --hosts");
            }
            try {
                wait(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while hosts joined", e);
            }
        }
    }

    private void awaitEnd() {
        try {
            running.get(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // tasks that have failed are over, and those that do not end have lost their connections
        }
    }

    private static String failure(CompletableFuture<Void> failed) {
        return failed.handle((done, e) ->
                        String.valueOf(e.getMessage()).lines().findFirst().orElse(""))
                .join();
    }

    /** Starts a process on the host with the fewest. */
    RemoteProcess start(String main, List<String> flags, Path errors, boolean isMeasuring) throws IOException {
        int id = nextProcess.incrementAndGet();
        CompletableFuture<Channel> arriving = new CompletableFuture<>();
        Host host;
        synchronized (starting) {
            host = all().stream().min(Comparator.comparingInt(Host::processes)).orElseThrow();
            expected.put(id, arriving);
            host.start(new Frames.Start(id, main, flags));
        }
        boolean hasStarted = false;
        try {
            RemoteProcess process = new RemoteProcess(
                    id,
                    host,
                    arriving.get(HANDSHAKE_MILLIS, TimeUnit.MILLISECONDS),
                    errors,
                    isMeasuring ? Optional.of(rendezvous) : Optional.empty());
            hasStarted = true;
            return process;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a process was started", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the host " + host.facts().name() + " has not started a process", e);
        } finally {
            expected.remove(id);
            if (!hasStarted) {
                host.ended();
            }
        }
    }

    /** Ends the tasks, and what they have started. May be called from any thread. */
    @Override
    public void close() {
        List<Host> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(joined);
            joined.clear();
        }
        all.forEach(Host::end);
        awaitEnd();
        all.forEach(Host::close);
        try {
            listening.close();
        } catch (IOException e) {
            // nobody can connect in any case
        }
    }
}
