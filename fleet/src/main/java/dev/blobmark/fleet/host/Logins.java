package dev.blobmark.fleet.host;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What executors need to connect to servers, from Blobmark over a connection of their own. */
final class Logins {

    private static final int PATIENCE_MILLIS = 10_000;

    /** Of this executor; a scan has one server. */
    private static final Map<String, Message.ScanLogin> KNOWN = new ConcurrentHashMap<>();

    private Logins() {}

    /** Asks Blobmark at first, with a key that is made for that. */
    static synchronized Message.ScanLogin of(Address blobmark, int scan) throws IOException {
        String of = blobmark.host() + " " + blobmark.port() + " " + scan;
        Message.ScanLogin known = KNOWN.get(of);
        if (known != null) {
            return known;
        }
        HostKey key = HostKey.make();
        FleetPlugin.register(key.text());
        try (Channel channel = Channel.connect(blobmark, key, Channel.LOGIN, scan)) {
            channel.setPatience(PATIENCE_MILLIS);
            Message.ScanLogin login = channel.receive(Message.ScanLogin.READER);
            KNOWN.put(of, login);
            return login;
        }
    }
}
