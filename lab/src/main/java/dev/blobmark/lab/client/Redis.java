package dev.blobmark.lab.client;

import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.SslMode;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** Opens measured connections over counted sockets with Jedis, the blocking client. */
public final class Redis {

    private Redis() {}

    /**
     * Opens a connection, logs in, and sends a PING.
     *
     * @param tls whether it is encrypted, and how the server's certificate is verified
     * @param traffic counts the bytes of the connection from now on
     * @throws JedisConnectionException if the server cannot be reached, or does not meet {@code tls}
     */
    public static Jedis connect(Endpoint endpoint, Tls tls, Traffic traffic) {
        Jedis jedis = new Jedis(
                () -> open(endpoint, tls, traffic),
                DefaultJedisClientConfig.builder()
                        .user(endpoint.user())
                        .password(endpoint.password())
                        .protocol(RedisProtocol.RESP2) // all versions support it
                        .build());
        jedis.ping();
        return jedis;
    }

    private static Socket open(Endpoint endpoint, Tls tls, Traffic traffic) {
        try {
            Socket socket = CountedSocket.connect(traffic, endpoint.host(), endpoint.port());
            return tls == Tls.OFF ? socket : encrypted(socket, endpoint, tls);
        } catch (IOException | GeneralSecurityException e) {
            throw new JedisConnectionException("cannot connect to " + endpoint.authority() + ": " + e.getMessage(), e);
        }
    }

    private static Socket encrypted(Socket socket, Endpoint endpoint, Tls tls)
            throws IOException, GeneralSecurityException {
        // an address that asks for verification gets it on every connection, since each sends the password
        SSLSocket encrypted = (SSLSocket) endpoint.tls()
                .context(tls != Tls.ON || endpoint.sslMode().isVerifying())
                .getSocketFactory()
                .createSocket(socket, endpoint.host(), endpoint.port(), true);
        if (tls == Tls.VERIFY_IDENTITY || endpoint.sslMode() == SslMode.VERIFY_IDENTITY) {
            SSLParameters parameters = encrypted.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            encrypted.setSSLParameters(parameters);
        }
        encrypted.startHandshake();
        return encrypted;
    }
}
