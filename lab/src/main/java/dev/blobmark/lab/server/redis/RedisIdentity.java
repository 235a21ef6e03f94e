package dev.blobmark.lab.server.redis;

import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.ServerIdentity;
import dev.blobmark.mysql.server.SslMode;
import dev.blobmark.mysql.server.TlsMaterial;
import java.io.File;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.SslVerifyMode;
import redis.clients.jedis.exceptions.JedisException;

/** The identity of a Redis or Valkey, and connections that are not measured. */
public final class RedisIdentity {

    private static final int TIMEOUT_MILLIS = 5_000;

    private RedisIdentity() {}

    /** Opens a connection that is not measured. */
    public static Jedis connect(Endpoint endpoint) {
        DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder()
                .user(endpoint.user())
                .password(endpoint.password())
                .protocol(RedisProtocol.RESP2)
                .connectionTimeoutMillis(TIMEOUT_MILLIS)
                .socketTimeoutMillis(TIMEOUT_MILLIS);
        if (endpoint.sslMode() != SslMode.DISABLED) {
            config.sslOptions(encryption(endpoint));
        }
        return new Jedis(new HostAndPort(endpoint.host(), endpoint.port()), config.build());
    }

    private static SslOptions encryption(Endpoint endpoint) {
        SslOptions.Builder options = SslOptions.builder()
                .sslVerifyMode(
                        switch (endpoint.sslMode()) {
                            case VERIFY_IDENTITY -> SslVerifyMode.FULL;
                            case VERIFY_CA -> SslVerifyMode.CA;
                            default -> SslVerifyMode.INSECURE;
                        });
        endpoint.tls()
                .trustStore()
                .ifPresent(store -> options.trustStoreType(TlsMaterial.STORE_TYPE)
                        .truststore(new File(store), endpoint.tls().password().toCharArray()));
        return options.build();
    }

    /** The fields of INFO, without its sections. */
    public static Map<String, String> info(Jedis jedis) {
        Map<String, String> info = new HashMap<>();
        jedis.info().lines().filter(line -> line.contains(":")).forEach(line -> {
            int colon = line.indexOf(':');
            info.put(line.substring(0, colon), line.substring(colon + 1).strip());
        });
        return info;
    }

    /**
     * Reads the identity. Settings that hold a secret are left out, and all settings if the server does not show them.
     *
     * @throws ServerException if the server does not answer
     */
    public static ServerIdentity read(Endpoint endpoint) {
        try (Jedis jedis = connect(endpoint)) {
            Map<String, String> info = info(jedis);
            boolean isValkey = info.containsKey("valkey_version");
            SortedMap<String, String> settings = new TreeMap<>();
            try {
                settings.putAll(jedis.configGet("*"));
            } catch (JedisException notAllowed) {
                // managed servers do not show their settings
            }
            settings.keySet().removeIf(name -> name.matches("requirepass|masterauth|.*(password|-pass|secret).*"));
            return new ServerIdentity(
                    isValkey ? "Valkey" : "Redis",
                    info.get(isValkey ? "valkey_version" : "redis_version"),
                    info.getOrDefault("executable", ""),
                    settings);
        } catch (JedisException e) {
            throw new ServerException(
                    "Redis at " + endpoint.authority() + " does not answer: " + e.getMessage()
                            + ". Check its address and password.",
                    e);
        }
    }
}
