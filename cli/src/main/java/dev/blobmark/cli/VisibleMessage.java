package dev.blobmark.cli;

import ch.qos.logback.classic.pattern.MessageConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.blobmark.lab.run.Visible;

/** {@code %visible} in logback.xml: the message of a library, which may contain text of a server. */
public final class VisibleMessage extends MessageConverter {

    @Override
    public String convert(ILoggingEvent event) {
        return Visible.of(super.convert(event));
    }
}
