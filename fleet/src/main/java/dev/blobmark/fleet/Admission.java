package dev.blobmark.fleet;

import dev.blobmark.fleet.host.Address;
import dev.blobmark.fleet.host.Channel;
import dev.blobmark.lab.server.own.SelfSignedCertificate;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * The port of Blobmark. Who connects has ten seconds to prove who it is, by a signature, before anything else is read.
 * Connections that have not proven it have a fixed number of places and threads, so that they cost nothing more; when
 * there is none left, the oldest of the machine that has most is closed.
 */
final class Admission implements AutoCloseable {

    private static final int PROOF_MILLIS = 10_000;
    private static final int LOOK_MILLIS = 500;
    private static final int MORE_PLACES = 16;
    private static final int MOST_REASONS = 100;
    private static final int MOST_LETTERS = 200;
    private static final String CROWD = "too many connections at once";

    private final ServerSocket listening;
    private final Address address;
    private final SSLSocketFactory encrypting;
    private final Door door;
    private final Consumer<String> notices;
    private final int places;
    private final List<Unproven> unproven = new ArrayList<>();
    private final ThreadPoolExecutor greeting;
    private final ScheduledExecutorService watching = Executors.newSingleThreadScheduledExecutor(Admission::daemon);
    private final Map<String, Integer> refused = new LinkedHashMap<>();
    private int crowded;

    /** Decides about those that have proven who they are. */
    interface Door {

        /**
         * Admits the channel and keeps it, or throws.
         *
         * @throws IOException if the caller is not expected; the message has the reason
         */
        void enter(Channel channel, Channel.Joiner caller) throws IOException;
    }

    private record Unproven(Socket socket, long sinceNanos) {

        InetAddress from() {
            return socket.getInetAddress();
        }
    }

    /**
     * @param bind address of this machine that hosts can reach
     * @param count number of hosts
     * @param scratch directory for temporary files
     * @param notices receives a line for each kind of refusal
     */
    Admission(InetAddress bind, int count, Path scratch, Door door, Consumer<String> notices) throws IOException {
        this.door = door;
        this.notices = notices;
        places = 2 * count + MORE_PLACES;
        Path directory = Files.createTempDirectory(scratch, "blobmark-fleet-");
        SelfSignedCertificate made = SelfSignedCertificate.make(directory);
        try {
            Certificate certificate = certificate(made.certificate());
            encrypting = context(made.key(), certificate).getSocketFactory();
            listening = new ServerSocket(0, places, bind);
            address = new Address(bind.getHostAddress(), listening.getLocalPort(), certificate.getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        } finally {
            Files.delete(made.key());
            Files.delete(made.certificate());
            Files.delete(directory);
        }
        greeting = new ThreadPoolExecutor(
                places, places, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(places), Admission::daemon);
        greeting.prestartAllCoreThreads(); // later, the system may have none left
        daemon(this::accept).start();
        watching.scheduleWithFixedDelay(this::closeOverdue, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "fleet-admission");
        thread.setDaemon(true);
        return thread;
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

    /** Where hosts find this. */
    Address address() {
        return address;
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket socket = listening.accept();
                Unproven one = new Unproven(socket, System.nanoTime());
                makeRoomFor(one);
                try {
                    greeting.execute(() -> greet(one));
                } catch (RejectedExecutionException e) {
                    refuse(one, CROWD);
                }
            } catch (IOException | RuntimeException e) {
                pause(); // closed, or the system has no more files for a moment; hosts can still come
            }
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void makeRoomFor(Unproven one) {
        if (unproven.size() >= places) {
            Map<InetAddress, List<Unproven>> byMachine =
                    unproven.stream().collect(Collectors.groupingBy(Unproven::from));
            refuse(
                    byMachine.values().stream()
                            .max(Comparator.comparingInt(List::size))
                            .orElseThrow()
                            .get(0),
                    CROWD);
        }
        unproven.add(one);
    }

    private synchronized void closeOverdue() {
        long now = System.nanoTime();
        List.copyOf(unproven).stream()
                .filter(one -> now - one.sinceNanos() > TimeUnit.MILLISECONDS.toNanos(PROOF_MILLIS))
                .forEach(one -> refuse(one, "it has not proven who it is within " + PROOF_MILLIS / 1_000 + " s"));
    }

    private synchronized boolean isUnproven(Unproven one) {
        return unproven.contains(one);
    }

    /** Whether it was still waiting. */
    private synchronized boolean remove(Unproven one) {
        return unproven.remove(one);
    }

    private void greet(Unproven one) {
        if (!isUnproven(one)) {
            return;
        }
        Channel channel = null;
        try {
            one.socket().setSoTimeout(PROOF_MILLIS);
            SSLSocket encrypted = (SSLSocket) encrypting.createSocket(one.socket(), null, true);
            encrypted.setEnabledProtocols(Channel.PROTOCOLS); // the context alone enables older ones too
            channel = new Channel(encrypted, Optional.of(one.socket()));
            Channel.Joiner caller = channel.identify(address.certificate());
            channel.setPatience(0);
            door.enter(channel, caller);
            if (!remove(one)) {
                channel.close(); // too late: it was closed meanwhile
            }
        } catch (IOException | RuntimeException e) {
            refuse(one, e.getMessage() == null ? "it has closed the connection" : e.getMessage());
            if (channel != null) {
                channel.close();
            }
        }
    }

    /** A stranger may have chosen a part of it. */
    private static String visible(String reason) {
        String ascii = reason.replaceAll("[^ -~]", "?");
        return ascii.length() <= MOST_LETTERS ? ascii : ascii.substring(0, MOST_LETTERS) + "…";
    }

    /** To be added to why a host did not come: those of others may have taken its place. Empty if there were none. */
    synchronized String crowdInWords() {
        return crowded == 0 ? "" : "; " + crowded + " connections were refused, because too many came at once";
    }

    /** Says each reason once for a machine. */
    private void refuse(Unproven one, String reason) {
        boolean isFirst;
        synchronized (this) {
            if (!remove(one)) {
                return;
            }
            crowded += reason.equals(CROWD) ? 1 : 0;
            String what = one.from().getHostAddress() + ": " + visible(reason);
            boolean isKept = refused.containsKey(what) || refused.size() < MOST_REASONS;
            isFirst = isKept && refused.merge(what, 1, Integer::sum) == 1;
            if (isFirst) {
                notices.accept("refused a connection from " + what);
            }
        }
        try {
            one.socket().close();
        } catch (IOException e) {
            // it is unusable in any case
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            // nobody can connect in any case
        }
        watching.shutdownNow();
        greeting.shutdownNow();
        synchronized (this) {
            List.copyOf(unproven).forEach(one -> {
                unproven.remove(one);
                try {
                    one.socket().close();
                } catch (IOException e) {
                    // it is unusable in any case
                }
            });
            refused.forEach((what, number) -> {
                if (number > 1) {
                    notices.accept("refused " + number + " connections from " + what);
                }
            });
        }
    }
}
