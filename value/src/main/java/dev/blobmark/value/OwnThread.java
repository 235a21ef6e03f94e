package dev.blobmark.value;

/**
 * A daemon thread of the library. It has nothing of the thread that starts it: no transaction, no tenant, no request.
 */
final class OwnThread extends Thread {

    private OwnThread(String name, Runnable work) {
        super(null, work, name, 0, false);
        setDaemon(true);
    }

    /** @param loader the context class loader; a thread that stays must not have that of an application */
    static OwnThread start(String name, ClassLoader loader, Runnable work) {
        OwnThread thread = new OwnThread(name, work);
        thread.setContextClassLoader(loader);
        thread.start();
        return thread;
    }

    static boolean isCurrent() {
        return Thread.currentThread() instanceof OwnThread;
    }
}
