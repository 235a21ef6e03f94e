package dev.blobmark.report;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Gives tests a headless Chromium without a network, one for all; where there is no {@code chromium} and
 * {@code chromedriver} on the path they are skipped.
 */
final class Browser implements ExecutionCondition, ParameterResolver {

    private static final JsonMapper JSON = new JsonMapper();

    private static Optional<Path> program(String name) {
        return Stream.of(System.getenv("PATH").split(":"))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext test) {
        return program("chromium").isPresent() && program("chromedriver").isPresent()
                ? ConditionEvaluationResult.enabled("with Chromium")
                : ConditionEvaluationResult.disabled(
                        "no browser to test with: install chromium and chromium-driver (Debian's names)");
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == ChromeDriver.class;
    }

    /** The store of the root closes what it holds at the very end. */
    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        return test.getRoot()
                .getStore(ExtensionContext.Namespace.create(Browser.class))
                .computeIfAbsent(Started.class, key -> new Started(start()), Started.class)
                .driver();
    }

    private record Started(ChromeDriver driver) implements AutoCloseable {
        @Override
        public void close() {
            driver.quit();
        }
    }

    private static ChromeDriver start() {
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        logs.enable(LogType.PERFORMANCE, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(program("chromium").orElseThrow().toFile());
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--window-size=1280,1000",
                "--lang=en",
                "--disable-background-networking",
                "--disable-component-update",
                "--host-resolver-rules=MAP * ~NOTFOUND");
        options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
        return new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(
                                program("chromedriver").orElseThrow().toFile())
                        .build(),
                options);
    }

    /** What the console has said since it was last asked, but for what is mere information. */
    static List<String> complaints(ChromeDriver driver) {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .map(LogEntry::getMessage)
                .toList();
    }

    /** Where requests have gone since it was last asked. */
    static List<String> requests(ChromeDriver driver) {
        return driver.manage().logs().get(LogType.PERFORMANCE).getAll().stream()
                .map(entry -> JSON.readTree(entry.getMessage()).get("message"))
                .filter(message -> message.get("method").stringValue().equals("Network.requestWillBeSent"))
                .map(message -> message.get("params").get("request").get("url").stringValue())
                .toList();
    }

    /** What a script of the page gives, as JSON. */
    static JsonNode evaluate(ChromeDriver driver, String expression) {
        Object text = driver.executeScript("return JSON.stringify(" + expression + ") ?? 'null'");
        return JSON.readTree((String) text);
    }

    /** Asks for a system that prefers light or dark. */
    static void prefer(ChromeDriver driver, String scheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }
}
