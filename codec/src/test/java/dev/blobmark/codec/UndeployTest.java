package dev.blobmark.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import net.jpountz.lz4.LZ4Factory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An application server drops an application's class loader, while the threads that called it live on. */
final class UndeployTest {

    @ParameterizedTest
    @ValueSource(strings = {"zstd:3", "lz4", "lz4hc:9", "deflate:6", "gzip:6", "mysql:6"})
    void theClassLoaderIsFreedAfterTheContextsAreReleased(String codec) throws Exception {
        ExecutorService threadOfTheServer = Executors.newSingleThreadExecutor();
        try {
            ReferenceQueue<ClassLoader> queue = new ReferenceQueue<>();
            PhantomReference<ClassLoader> application = deployAndUndeploy(codec, threadOfTheServer, queue);
            assertThat((Object) Unreachable.await(queue)).isSameAs(application);
        } finally {
            threadOfTheServer.shutdownNow();
        }
    }

    private static PhantomReference<ClassLoader> deployAndUndeploy(
            String codec, ExecutorService thread, ReferenceQueue<ClassLoader> queue) throws Exception {
        try (URLClassLoader application = application()) {
            assertThat(thread.submit(() -> roundTrip(application, codec)).get()).isTrue();
            codecs(application).getMethod("releaseContexts").invoke(null);
            return new PhantomReference<>(application, queue);
        }
    }

    private static URLClassLoader application() {
        URL[] classPath = {location(Codec.class), location(Zstd.class), location(LZ4Factory.class)};
        return new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader());
    }

    private static URL location(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    private static Class<?> codecs(ClassLoader application) throws ClassNotFoundException {
        return application.loadClass(Codecs.class.getName());
    }

    private static boolean roundTrip(ClassLoader application, String id) throws ReflectiveOperationException {
        Object codec = codecs(application).getMethod("parse", String.class).invoke(null, id);
        Class<?> type = application.loadClass(Codec.class.getName());
        assertThat(type).isNotEqualTo(Codec.class);
        byte[] value = Samples.structured(10_000, 1);
        byte[] target = new byte[20_000];
        Method encode = type.getMethod("encode", byte[].class, int.class, int.class, byte[].class, int.class);
        int length = (int) encode.invoke(codec, value, 0, value.length, target, 0);
        byte[] encoded = Arrays.copyOf(target, length);
        Object decoded = type.getMethod("decode", byte[].class, int.class).invoke(codec, encoded, value.length);
        return Arrays.equals((byte[]) decoded, value);
    }
}
