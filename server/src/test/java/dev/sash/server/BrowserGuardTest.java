package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What pages in a browser could send; {@link ChromiumIT} sends it from one. */
class BrowserGuardTest {
  private static final String BODY = "{\"policy\":\"api\",\"key\":\"ann\"}";
  private static TestServer server;

  @BeforeAll
  static void start() {
    server =
        TestServer.start(
            "policies: {api: {limit: 1000/1h}}",
            http -> http.withAllowedHosts(Set.of("sash", "sash.shop.svc")),
            UnaryOperator.identity());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static int post(String path, String host, String... fields) throws IOException {
    return status("POST " + path, host, fields, BODY);
  }

  private static int status(String line, String host, String[] fields, String body)
      throws IOException {
    String head =
        line
            + " HTTP/1.1\r\nHost: "
            + host
            + "\r\nConnection: close\r\nContent-Length: "
            + body.length()
            + "\r\n"
            + (fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n")
            + "\r\n"
            + body;
    try (RawConnection connection = new RawConnection(server.port())) {
      return Integer.parseInt(connection.send(head).everything().substring(9, 12));
    }
  }

  private static String own() {
    return "127.0.0.1:" + server.port();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"127.0.0.1", "localhost", "LOCALHOST", "a.localhost", "[::1]", "10.1.2.3", "sash"})
  void acceptsAddressesLoopbackNamesAndConfiguredNames(String host) throws IOException {
    assertThat(post("/v1/check", host)).isEqualTo(200);
    assertThat(post("/v1/check", host + ":" + server.port())).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"evil.example", "localhost.evil.example", "sash.evil.example", "127.0.0.1.nip.io"})
  void refusesNamesThatAreNotItsOwn(String host) throws IOException {
    for (String path : new String[] {"/v1/check", "/v1/peek", "/v1/refund", "/v1/reset"}) {
      assertThat(post(path, host)).isEqualTo(421);
      assertThat(post(path, host + ":" + server.port())).isEqualTo(421);
    }
    assertThat(status("GET /v1/check/api/ann", host, new String[0], "")).isEqualTo(421);
    assertThat(status("GET /v1/policies", host, new String[0], "")).isEqualTo(421);
    assertThat(status("GET /livez", host, new String[0], "")).as("a health check").isEqualTo(200);
    assertThat(status("GET /v1/forward-auth/api", host, new String[0], "")).isEqualTo(421);
  }

  @ParameterizedTest
  @CsvSource({
    "Origin: http://evil.example",
    "Origin: null",
    "Origin: http://127.0.0.1",
    "Origin: http://127.0.0.1:1",
    "Sec-Fetch-Site: cross-site",
    "Sec-Fetch-Site: same-site",
    "Sec-Fetch-Site: nonsense",
  })
  void refusesRequestsThatAnotherOriginSends(String field) throws IOException {
    for (String path :
        new String[] {"/v1/check", "/v1/check:batch", "/v1/peek", "/v1/refund", "/v1/reset"}) {
      assertThat(post(path, own(), field, "Content-Type: text/plain")).isEqualTo(403);
    }
    assertThat(status("GET /v1/check/api/ann", own(), new String[] {field}, "")).isEqualTo(403);
    assertThat(status("POST /v1/reload", own(), new String[] {field}, "")).isEqualTo(403);
    assertThat(status("GET /v1/forward-auth/api", own(), new String[] {field}, "")).isEqualTo(403);
  }

  @Test
  void acceptsPagesOfItsOwnAndPrograms() throws IOException {
    assertThat(post("/v1/check", own(), "Origin: http://" + own(), "Sec-Fetch-Site: same-origin"))
        .isEqualTo(200);
    assertThat(post("/v1/check", own(), "Content-Type: application/x-www-form-urlencoded"))
        .as("curl -d")
        .isEqualTo(200);
    assertThat(status("GET /v1/check/api/ann", own(), new String[] {"User-Agent: curl/8.5.0"}, ""))
        .isEqualTo(200);
  }

  /** An image on a page of the local network comes without any mark. */
  @Test
  void refusesToSpendForTheImageOfAPage() throws IOException {
    String[] browser = {"User-Agent: Mozilla/5.0 (X11; Linux x86_64)", "Accept: image/*"};
    assertThat(status("GET /v1/check/api/ann", own(), browser, "")).isEqualTo(403);
    assertThat(status("GET /v1/forward-auth/api", own(), browser, "")).isEqualTo(403);
    assertThat(status("GET /v1/policies", own(), browser, "")).isEqualTo(200);
  }
}
