package dev.blobmark.lab.workload;

import dev.blobmark.lab.client.Tls;
import dev.blobmark.lab.store.RedisSet;
import dev.blobmark.lab.store.Structure;
import dev.blobmark.lab.workload.Membership.KeyQuestion;
import dev.blobmark.mysql.server.Endpoint;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.io.File;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** {@link Membership} in Redis over one connection of Lettuce, which all operations in flight share. */
final class LettuceMembership implements AsyncOperation {

    private final ClientResources resources;
    private final RedisClient client;
    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final RedisAsyncCommands<byte[], byte[]> commands;
    private final Structure structure;
    private final byte[] name;
    private final KeyQuestion[] questions;
    private final LastAnswer[] answers;
    private volatile EventLoop eventLoop;

    /** The answer to a slot's last operation. */
    private static final class LastAnswer {
        private final boolean[] found;
        private byte[][] keys;
        private int count;

        LastAnswer(int keys) {
            found = new boolean[keys];
        }
    }

    LettuceMembership(Setup setup, int inFlight) {
        Endpoint endpoint = setup.endpoint();
        Tls tls = setup.design().get(Tls.FACTOR);
        structure = setup.design().get(Structure.FACTOR);
        name = RedisSet.bytes(setup.table());
        questions = KeyQuestion.forSlots(setup, inFlight);
        answers = new LastAnswer[inFlight];
        for (int slot = 0; slot < inFlight; slot++) {
            answers[slot] = new LastAnswer(questions[slot].keys().length);
        }
        resources = ClientResources.builder()
                // the resolver of the JDK, as in all other clients; Netty's own takes UDP messages on all addresses
                .addressResolverGroup(DefaultAddressResolverGroup.INSTANCE)
                .nettyCustomizer(new NettyCustomizer() {
                    @Override
                    public void afterChannelInitialized(Channel channel) {
                        eventLoop = channel.eventLoop();
                    }
                })
                .build();
        client = RedisClient.create(
                resources,
                RedisURI.builder()
                        .withHost(endpoint.host())
                        .withPort(endpoint.port())
                        .withAuthentication(endpoint.user(), endpoint.password())
                        .withSsl(tls != Tls.OFF)
                        .withVerifyPeer(
                                switch (endpoint.sslMode()) {
                                    case VERIFY_IDENTITY -> SslVerifyMode.FULL;
                                    case VERIFY_CA -> SslVerifyMode.CA;
                                    default -> SslVerifyMode.NONE;
                                })
                        .build());
        // a trial that loses its connection has failed, and does not wait for another one
        ClientOptions.Builder options = ClientOptions.builder()
                .autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS);
        endpoint.tls()
                .trustStore()
                .ifPresent(store -> options.sslOptions(SslOptions.builder()
                        .truststore(new File(store), endpoint.tls().password())
                        .build()));
        client.setOptions(options.build());
        try {
            connection = client.connect(ByteArrayCodec.INSTANCE);
        } catch (RuntimeException e) {
            shutDown();
            throw e;
        }
        commands = connection.async();
    }

    @Override
    public void execute(Runnable task) {
        eventLoop.execute(task);
    }

    @Override
    public void beginWindow() {
        for (KeyQuestion question : questions) {
            question.beginWindow();
        }
    }

    @Override
    public void prepare(int slot, int row) {
        questions[slot].draw(row);
        answers[slot].keys = RedisSet.keys(name, structure, questions[slot].keys());
    }

    @Override
    public void start(int slot, Completion completion) {
        LastAnswer answer = answers[slot];
        if (structure == Structure.KEYS) {
            report(commands.exists(answer.keys), slot, completion, found -> answer.count = (int) (long) found);
        } else if (answer.keys.length == 1) {
            report(commands.sismember(name, answer.keys[0]), slot, completion, found -> answer.count = found ? 1 : 0);
        } else {
            report(commands.smismember(name, answer.keys), slot, completion, found -> take(found, answer));
        }
    }

    private static void take(List<Boolean> found, LastAnswer answer) {
        answer.count = 0;
        for (int i = 0; i < answer.found.length; i++) {
            answer.found[i] = found.get(i);
            answer.count += answer.found[i] ? 1 : 0;
        }
    }

    private static <T> void report(RedisFuture<T> future, int slot, Completion completion, Consumer<T> answer) {
        future.whenComplete((found, failure) -> {
            if (failure == null) {
                answer.accept(found);
            }
            completion.complete(slot, failure);
        });
    }

    @Override
    public long bytes(int slot) {
        return questions[slot].bytes();
    }

    @Override
    public void verify(int slot, boolean content) {
        questions[slot].verify(answers[slot].count);
        if (content && structure == Structure.SET && answers[slot].keys.length > 1) {
            questions[slot].verifyEach(answers[slot].found);
        }
    }

    @Override
    public void close() {
        connection.close();
        shutDown();
    }

    private void shutDown() {
        client.shutdown();
        // client.shutdown() alone returns at once and leaves the threads running for two seconds
        resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
