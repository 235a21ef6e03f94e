package dev.blobmark.lab;

import dev.blobmark.lab.server.EmbeddedServer;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Gives tests a server that allows TLS, started when the first asks for it and stopped after the last of the JVM. */
public final class OneServer implements ParameterResolver {

    /** Kept between builds, so that the server is unpacked once. */
    public static final Path CACHE = Path.of("target", "blobmark-cache").toAbsolutePath();

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == EmbeddedServer.class;
    }

    /** The store of the root closes what it holds at the very end. */
    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        return test.getRoot()
                .getStore(ExtensionContext.Namespace.create(OneServer.class))
                .computeIfAbsent(
                        EmbeddedServer.class,
                        key -> EmbeddedServer.start(CACHE, EmbeddedServer.Options.of(64 << 20)),
                        EmbeddedServer.class);
    }
}
