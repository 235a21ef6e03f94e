package dev.blobmark.lab.workload;

import dev.blobmark.lab.client.Redis;
import dev.blobmark.lab.client.Tls;
import dev.blobmark.lab.client.Traffic;
import dev.blobmark.lab.store.RedisSet;
import dev.blobmark.lab.store.Structure;
import dev.blobmark.lab.workload.Membership.KeyQuestion;
import java.util.List;
import java.util.Optional;
import redis.clients.jedis.Jedis;

/** {@link Membership} in Redis over a blocking connection. */
final class RedisMembership implements Operation {

    private final Traffic traffic;
    private final Jedis jedis;
    private final KeyQuestion question;
    private final Structure structure;
    private final byte[] name;
    private byte[][] prefixed;
    private final boolean[] found;
    private int count;

    RedisMembership(Setup setup) {
        traffic = new Traffic(setup.link());
        question = new KeyQuestion(setup);
        structure = setup.design().get(Structure.FACTOR);
        name = RedisSet.bytes(setup.table());
        found = new boolean[question.keys().length];
        jedis = Redis.connect(setup.endpoint(), setup.design().get(Tls.FACTOR), traffic);
    }

    @Override
    public void beginWindow() {
        question.beginWindow();
    }

    @Override
    public void prepare(int type, int row) {
        question.draw(row);
        prefixed = RedisSet.keys(name, structure, question.keys());
    }

    @Override
    public long perform(int type, int row) {
        if (structure == Structure.KEYS) {
            count = prefixed.length == 1 ? jedis.exists(prefixed[0]) ? 1 : 0 : (int) jedis.exists(prefixed);
        } else if (prefixed.length == 1) {
            count = jedis.sismember(name, prefixed[0]) ? 1 : 0;
        } else {
            List<Boolean> answer = jedis.smismember(name, prefixed);
            count = 0;
            for (int i = 0; i < found.length; i++) {
                found[i] = answer.get(i);
                count += found[i] ? 1 : 0;
            }
        }
        return question.bytes();
    }

    @Override
    public void verify(int type, int row, boolean content) {
        question.verify(count);
        if (content && structure == Structure.SET && prefixed.length > 1) {
            question.verifyEach(found);
        }
    }

    @Override
    public Optional<Traffic> traffic() {
        return Optional.of(traffic);
    }

    @Override
    public void close() {
        jedis.close();
    }
}
