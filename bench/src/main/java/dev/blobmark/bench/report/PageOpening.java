package dev.blobmark.bench.report;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.support.ui.WebDriverWait;

/**
 * How long it takes until a page can be used: from navigation until everything is shown and handles events, as the page
 * itself reports, each time in a new headless Chromium. Started by {@code bench/page-opening}.
 */
public final class PageOpening {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private PageOpening() {}

    public static void main(String[] args) {
        Path page = Path.of(args[0]).toAbsolutePath();
        double[] millis = new double[Integer.parseInt(args[1])];
        for (int i = 0; i < millis.length; i++) {
            millis[i] = open(page);
        }
        Arrays.sort(millis);
        System.out.printf(
                "usable after %.0f ms at the median of %d, %.0f to %.0f%n",
                millis[(millis.length - 1) / 2], millis.length, millis[0], millis[millis.length - 1]);
    }

    private static double open(Path page) {
        ChromeOptions options = new ChromeOptions();
        options.setBinary(program("chromium").toFile());
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--window-size=1280,1000",
                "--host-resolver-rules=MAP * ~NOTFOUND");
        ChromeDriver driver = new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(program("chromedriver").toFile())
                        .build(),
                options);
        try {
            driver.get(page.toUri().toString());
            new WebDriverWait(driver, TIMEOUT)
                    .until(d ->
                            d.findElements(By.cssSelector("html[data-ready]")).size() == 1);
            return Double.parseDouble(driver.findElement(By.tagName("html")).getDomAttribute("data-ready"));
        } finally {
            driver.quit();
        }
    }

    private static Path program(String name) {
        return Stream.of(System.getenv("PATH").split(":"))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "there is no " + name + " on PATH: install Debian's chromium and chromium-driver"));
    }
}
