package dev.blobmark.lab.workload;

import dev.blobmark.lab.client.Tls;
import dev.blobmark.lab.workload.Membership.KeyQuestion;
import dev.blobmark.mysql.server.Endpoint;
import java.util.ArrayList;
import java.util.List;
import org.mariadb.r2dbc.MariadbConnectionConfiguration;
import org.mariadb.r2dbc.MariadbConnectionFactory;
import org.mariadb.r2dbc.SslMode;
import org.mariadb.r2dbc.api.MariadbConnection;
import org.mariadb.r2dbc.api.MariadbStatement;
import reactor.core.publisher.Flux;
import reactor.netty.resources.LoopResources;

/**
 * {@link Membership} in MySQL over R2DBC: one connection per operation in flight, because the protocol answers in
 * sequence, and one thread for all of them.
 */
final class R2dbcMembership implements AsyncOperation {

    private static final byte[] NOTHING = {};

    private final LoopResources eventLoop = LoopResources.create("r2dbc", 1, true);
    private final List<MariadbConnection> connections = new ArrayList<>();
    private final KeyQuestion[] questions;
    private final int[] found;

    /** By slot: the keys that were found, if several were looked up. */
    private final byte[][][] answers;

    private final String sql;

    R2dbcMembership(Setup setup, int inFlight) {
        Endpoint endpoint = setup.endpoint();
        questions = KeyQuestion.forSlots(setup, inFlight);
        found = new int[inFlight];
        answers = new byte[inFlight][questions[0].keys().length][];
        sql = setup.dialect().contains(setup.windowTable(), questions[0].keys().length);
        MariadbConnectionConfiguration.Builder configuration = MariadbConnectionConfiguration.builder()
                .host(endpoint.host())
                .port(endpoint.port())
                .username(endpoint.user())
                .password(endpoint.password())
                .database(setup.schema())
                .useServerPrepStmts(true)
                .allowPublicKeyRetrieval(endpoint.authentication().keyRetrieval())
                .sslMode(setup.design().get(Tls.FACTOR) == Tls.OFF ? SslMode.DISABLE : SslMode.TRUST)
                .loopResources(eventLoop);
        endpoint.authentication().serverKey().ifPresent(configuration::cachingRsaPublicKey);
        // this client trusts any server, so only the plugins that are allowed for an unverified one
        endpoint.authentication().allowed(false).ifPresent(configuration::restrictedAuth);
        MariadbConnectionFactory factory = new MariadbConnectionFactory(configuration.build());
        try {
            for (int slot = 0; slot < inFlight; slot++) {
                connections.add(factory.create().block());
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    public void execute(Runnable task) {
        eventLoop.onClient(true).next().execute(task);
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
    }

    @Override
    public void start(int slot, Completion completion) {
        MariadbStatement select = connections.get(slot).createStatement(sql);
        byte[][] keys = questions[slot].keys();
        for (int i = 0; i < keys.length; i++) {
            select.bind(i, keys[i]);
        }
        found[slot] = 0;
        Flux.from(select.execute())
                .flatMap(result -> result.map((row, metadata) -> keys.length == 1 ? NOTHING : row.get(0, byte[].class)))
                .subscribe(
                        key -> take(slot, key),
                        failure -> completion.complete(slot, failure),
                        () -> completion.complete(slot, null));
    }

    private void take(int slot, byte[] key) {
        if (found[slot] < answers[slot].length) {
            answers[slot][found[slot]] = key;
        }
        found[slot]++;
    }

    @Override
    public long bytes(int slot) {
        return questions[slot].bytes();
    }

    @Override
    public void verify(int slot, boolean content) {
        questions[slot].verify(found[slot]);
        for (int i = 0; content && answers[slot].length > 1 && i < found[slot]; i++) {
            questions[slot].verifyMember(answers[slot][i]);
        }
    }

    @Override
    public void close() {
        connections.forEach(connection -> connection.close().block());
        eventLoop.dispose();
    }
}
