package dev.sash.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A web page in a real Chromium that tries to spend, to give back and to reset on a server on the
 * loopback address, in every way that needs no permission: nothing is charged and nothing
 * forgotten.
 */
@Timeout(120)
class ChromiumIT {
  private static final String BODY = "{\"policy\":\"api\",\"key\":\"ann\"}";

  /** Reports what became of the requests to the page's own server. */
  private static final String PAGE =
      """
      <!doctype html><meta charset="utf-8"><title>a page</title>
      <iframe name="hidden" hidden></iframe>
      <form method="post" enctype="text/plain" target="hidden" action="SASH/v1/check">
        <input name='{"policy":"api","key":"ann","attributes":{"x":"' value='"}}'>
      </form>
      <script>
        const sash = "SASH", body = 'BODY';
        const simple = {method: "POST", mode: "no-cors", body: body};
        const image = url => new Promise(done => {
          const img = new Image();
          img.onload = img.onerror = done;
          img.src = url;
        });
        (async () => {
          const outcomes = [];
          const attempt = async (name, work) => {
            try {
              const response = await work();
              outcomes.push(name + ":" + (response && response.type ? response.type : "sent"));
            } catch (e) {
              outcomes.push(name + ":failed");
            }
          };
          for (const path of ["check", "check:batch", "refund", "reset", "reload", "peek"]) {
            await attempt(path, () => fetch(sash + "/v1/" + path, simple));
          }
          await attempt("image", () => image(sash + "/v1/check/api/ann?permits=1"));
          await attempt("proxy", () => fetch(sash + "/v1/forward-auth/api", {mode: "no-cors"}));
          await attempt("beacon", async () => navigator.sendBeacon(sash + "/v1/check", body));
          await attempt("json", () => fetch(sash + "/v1/check", {
            method: "POST", headers: {"Content-Type": "application/json"}, body: body}));
          document.forms[0].submit();
          await new Promise(done => setTimeout(done, 500));
          await fetch("/done", {method: "POST", body: outcomes.join(" ")});
        })();
      </script>
      """;

  @TempDir Path folder;

  @Test
  void aPageOfAnotherOriginNeitherSpendsNorGivesBackNorForgets() throws Exception {
    String chromium = ProxyProcess.installed("chromium", "--version", "/usr/bin/chromium");
    String yaml = "policies: {api: {limit: 100/1h}}\ntrusted-proxies: [127.0.0.1]";
    CompletableFuture<String> outcomes = new CompletableFuture<>();
    try (TestServer server = TestServer.start(yaml)) {
      assertThat(server.post("/v1/check", BODY).statusCode()).isEqualTo(200);
      HttpServer pages = pages("http://127.0.0.1:" + server.port(), outcomes);
      Process browser = open(chromium, "http://localhost:" + pages.getAddress().getPort() + "/");
      try {
        String told = outcomes.get(60, TimeUnit.SECONDS);
        assertThat(told).contains("check:", "refund:", "image:", "proxy:", "beacon:", "json:");
        assertThat(server.post("/v1/peek", BODY).body()).contains("\"used\":1,");
        assertThat(server.get("/metrics").body())
            .as("the requests of the page did arrive")
            .containsPattern("operation=\"check\",outcome=\"invalid\",protocol=\"http\"} [1-9]")
            .containsPattern("operation=\"refund\",outcome=\"invalid\",protocol=\"http\"} [1-9]")
            .containsPattern("operation=\"reset\",outcome=\"invalid\",protocol=\"http\"} [1-9]");
      } finally {
        end(browser);
        pages.stop(0);
      }
    }
  }

  private static HttpServer pages(String sash, CompletableFuture<String> outcomes)
      throws IOException {
    HttpServer pages =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    byte[] page = PAGE.replace("SASH", sash).replace("BODY", BODY).getBytes(UTF_8);
    pages.createContext(
        "/",
        exchange -> {
          boolean done = exchange.getRequestURI().getPath().equals("/done");
          if (done) {
            outcomes.complete(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
          }
          exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
          exchange.sendResponseHeaders(200, page.length);
          exchange.getResponseBody().write(page);
          exchange.close();
        });
    pages.start();
    return pages;
  }

  private Process open(String chromium, String url) throws IOException {
    List<String> flags =
        List.of(
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--remote-debugging-port=0",
            "--user-data-dir=" + folder.resolve("profile"));
    ProcessBuilder builder =
        new ProcessBuilder(
            Stream.of(List.of(chromium), flags, List.of(url)).flatMap(List::stream).toList());
    builder.environment().putAll(Map.of("HOME", folder.toString()));
    return builder
        .redirectErrorStream(true)
        .redirectOutput(Files.createFile(folder.resolve("browser.log")).toFile())
        .start();
  }

  private static void end(Process browser) throws InterruptedException {
    browser.descendants().forEach(ProcessHandle::destroyForcibly);
    browser.destroyForcibly();
    browser.waitFor(10, TimeUnit.SECONDS);
  }
}
