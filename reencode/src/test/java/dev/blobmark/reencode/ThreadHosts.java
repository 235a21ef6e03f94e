package dev.blobmark.reencode;

import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.inplace.WriterHost;
import dev.blobmark.reencode.inplace.WriterProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BiConsumer;

/** Processes of other hosts, as threads of this one. */
final class ThreadHosts implements WriterHost.Starter {

    private final Servers.Source source;
    private final Path cache;
    private final TableColumn column;
    private final BiConsumer<ThreadHost, String> listener;
    final List<ThreadHost> started = new CopyOnWriteArrayList<>();

    /** @param listener receives each event on the thread of its host, before it is sent */
    ThreadHosts(Servers.Source source, Path cache, TableColumn column, BiConsumer<ThreadHost, String> listener) {
        this.source = source;
        this.cache = cache;
        this.column = column;
        this.listener = listener;
    }

    @Override
    public ThreadHost start() {
        ThreadHost host = new ThreadHost();
        started.add(host);
        Thread thread = new Thread(host::work, "host");
        thread.setDaemon(true);
        thread.start();
        return host;
    }

    final class ThreadHost implements WriterHost {
        private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();
        final List<String> events = new CopyOnWriteArrayList<>();
        final CountDownLatch isToldToEnd = new CountDownLatch(1);
        final CountDownLatch ended = new CountDownLatch(1);
        final WriterProcess process = new WriterProcess(source, cache, column, OnServer.FAST, this::event);
        private volatile boolean isCutOff;

        private void work() {
            process.run();
            lines.add(Optional.empty());
            ended.countDown();
        }

        private void event(String line) {
            listener.accept(this, line);
            events.add(line);
            lines.add(Optional.of(line));
        }

        /** From now on, it seems to have ended, and still works. */
        void cutOff() {
            isCutOff = true;
            lines.clear();
            lines.add(Optional.empty());
        }

        @Override
        public void send(String line) {
            if (!isCutOff) {
                process.take(line);
                if (line.contains("\"is_end\":true")) {
                    isToldToEnd.countDown();
                }
            }
        }

        @Override
        public Optional<String> receive() {
            try {
                Optional<String> line = isCutOff ? Optional.empty() : lines.take();
                if (line.isEmpty()) {
                    lines.add(line);
                }
                return line;
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public String lastWords() {
            return "it is gone";
        }

        @Override
        public void kill() {
            if (!isCutOff) {
                process.interrupt();
            }
        }

        @Override
        public void close() {
            kill();
        }
    }
}
