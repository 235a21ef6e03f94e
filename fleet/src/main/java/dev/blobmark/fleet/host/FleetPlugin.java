package dev.blobmark.fleet.host;

import java.io.IOException;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Passes the public keys of hosts to Spark's driver, by Spark's own messages between executors and driver. So a key is
 * as authentic as Spark's connections are: nobody without the cluster's secret can add one.
 */
public final class FleetPlugin implements SparkPlugin {

    private static volatile PluginContext ofExecutor;
    private static volatile KeyReceiver receiver;

    /** Receives the keys of hosts. */
    interface KeyReceiver {
        void made(String key) throws IOException;
    }

    /**
     * Sets who receives keys in this driver.
     *
     * @param keys null for nobody: no host is expected
     */
    static void receive(KeyReceiver keys) {
        receiver = keys;
    }

    /** Passes a key to the driver, and returns when it has it. */
    static void register(String key) throws IOException {
        PluginContext context = ofExecutor;
        if (context == null) {
            throw new IOException(
                    "Spark has not loaded " + FleetPlugin.class.getName() + ": " + Application.PLUGINS + " names it");
        }
        try {
            context.ask(key);
        } catch (Exception e) {
            throw new IOException("Spark's driver has not taken the key of this host: " + e.getMessage(), e);
        }
    }

    @Override
    public DriverPlugin driverPlugin() {
        return new DriverPlugin() {
            @Override
            public Map<String, String> init(SparkContext spark, PluginContext context) {
                return Map.of();
            }

            @Override
            public Object receive(Object message) throws Exception {
                KeyReceiver keys = receiver;
                if (keys == null || !(message instanceof String key)) {
                    throw new IOException("no host is expected");
                }
                keys.made(key);
                return "";
            }
        };
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new ExecutorPlugin() {
            @Override
            public void init(PluginContext context, Map<String, String> extra) {
                if (!context.conf().get("spark.master", "").startsWith(Application.KUBERNETES)) {
                    HostDirectory.requireOwnOfExecutor();
                }
                ofExecutor = context;
            }
        };
    }
}
