package dev.blobmark.fleet;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The streams of a connection, which one thread reads while another one writes. Those of
 * {@link java.nio.channels.Channels} cannot be used so: a read holds a lock of the channel that a write waits for.
 *
 * @param channel that blocks
 */
record BothWays(SocketChannel channel) {

    InputStream in() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                return channel.read(ByteBuffer.wrap(bytes, offset, length));
            }
        };
    }

    OutputStream out() {
        return new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                ByteBuffer left = ByteBuffer.wrap(bytes, offset, length);
                while (left.hasRemaining()) {
                    channel.write(left);
                }
            }
        };
    }
}
