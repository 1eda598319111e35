package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.server.http.guard.HttpBounds;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever anybody sends: a clear answer, and the server goes on as if nothing had happened. */
class BadInputTest {
  private static final String HEAD = "POST /v1/check HTTP/1.1\r\nHost: localhost\r\n";
  private static final String ASK = "{\"policy\":\"many\",\"key\":\"ann\"}";

  private static TestServer server;

  @BeforeAll
  static void start() {
    server =
        TestServer.start(
            "policies: {many: {limit: 1000000/1h}}",
            http ->
                http.withBounds(
                    HttpBounds.defaults()
                        .withIdleTimeout(Duration.ofSeconds(2))
                        .withRequestTimeout(Duration.ofSeconds(1))
                        .withMaxConnections(50)),
            UnaryOperator.identity());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void theServerStillAnswersAndNeverFailed() {
    // First, since the client repeats a GET if its idle connection was just closed, and no POST.
    assertThat(server.get("/metrics").body().lines().filter(l -> l.contains("outcome=\"failed\"")))
        .allMatch(line -> line.endsWith(" 0.0"));
    HttpResponse<String> response = server.post("/v1/check", ASK);
    assertThat(response.statusCode()).isEqualTo(200);
  }

  private static RawConnection connect() throws IOException {
    return new RawConnection(server.port());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nonsense\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "\0\1\2\3\4\5\6\7\r\n\r\n",
        "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: ten\r\n\r\n",
        "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "POST /v1/check HTTP/1.1\r\nHost : a\r\nb\u0001c: d\r\n\r\n",
      })
  void whatIsNotHttpIsRefusedOrHungUpOn(String text) throws IOException {
    try (RawConnection connection = connect()) {
      assertThat(connection.send(text).everything())
          .satisfiesAnyOf(
              answer -> assertThat(answer).isEmpty(),
              answer -> assertThat(answer).matches("(?s)HTTP/1.[01] 400 Bad Request\r.*"),
              answer -> assertThat(answer).startsWith("HTTP/9.9 501 Not Implemented"));
    }
  }

  @Test
  void headsHaveAMaximum() throws IOException {
    try (RawConnection connection = connect()) {
      assertThat(connection.send("GET /" + "a".repeat(40_000) + " HTTP/1.1\r\n\r\n").everything())
          .contains("URI is too long")
          .startsWith("HTTP/1.0 414"); // the line was not read up to the version
    }
    try (RawConnection connection = connect()) {
      assertThat(connection.send(HEAD + "X: " + "a".repeat(40_000) + "\r\n\r\n").everything())
          .contains("header is too large")
          .startsWith("HTTP/1.1 431");
    }
  }

  @ParameterizedTest
  @CsvSource({"/v1/check,65536", "/v1/peek,65536", "/v1/check:batch,1048576"})
  void bodiesHaveAMaximumWhetherTheySayTheirSizeOrNot(String path, int most) throws IOException {
    String head = "POST " + path + " HTTP/1.1\r\nHost: localhost\r\n";
    try (RawConnection connection = connect()) {
      String answer =
          connection.send(head + "Content-Length: " + (most + 1) + "\r\n\r\n").everything();
      assertThat(answer)
          .startsWith("HTTP/1.1 413")
          .contains("body must be at most " + most + " bytes, is larger");
    }
    try (RawConnection connection = connect()) {
      connection.send(head + "Transfer-Encoding: chunked\r\n\r\n");
      String chunk = "1000\r\n" + " ".repeat(0x1000) + "\r\n";
      for (int sent = 0; sent < most; sent += 0x1000) {
        connection.send(chunk);
      }
      assertThat(connection.send("1\r\n \r\n").until("\r\n")).startsWith("HTTP/1.1 413");
    }
    String whole = " ".repeat(most - 2) + "{}";
    assertThat(server.post(path, whole).statusCode()).isEqualTo(400);
    assertThat(server.post(path, whole + " ").statusCode()).isEqualTo(413);
  }

  @Test
  void whoAnnouncesTooMuchIsNotAskedToGoOn() throws IOException {
    try (RawConnection connection = connect()) {
      assertThat(
              connection
                  .send(HEAD + "Expect: 100-continue\r\nContent-Length: 999999999999\r\n\r\n")
                  .everything())
          .startsWith("HTTP/1.1 413");
    }
    try (RawConnection connection = connect()) {
      connection.send(
          HEAD + "Expect: 100-continue\r\nContent-Length: " + ASK.length() + "\r\n\r\n");
      assertThat(connection.until("\r\n\r\n")).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
      assertThat(connection.send(ASK).until("}")).startsWith("HTTP/1.1 200 OK");
    }
  }

  @Test
  void slowSendersAreHungUpOn() throws IOException {
    try (RawConnection body = connect();
        RawConnection head = connect();
        RawConnection silent = connect();
        RawConnection finished = connect()) {
      body.send(HEAD + "Content-Length: 100\r\n\r\n{");
      head.send("POST /v1/ch");
      finished.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n").until("ok\n");

      assertThat(body.everything())
          .startsWith("HTTP/1.1 408 Request Timeout")
          .contains("body must be sent within 1 s");
      assertThat(head.everything()).isEmpty();
      assertThat(silent.everything()).isEmpty();
      assertThat(finished.everything()).isEmpty();
    }
  }

  /** A byte now and then is neither idle nor a request. */
  @Test
  void headsThatTrickleAreHungUpOn() throws Exception {
    for (String before : new String[] {"", "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"}) {
      try (RawConnection connection = connect()) {
        connection.send(before);
        String head = "GET /livez HTTP/1.1\r\nHost: localhost\r\nX: " + "a".repeat(500);
        assertThatThrownBy(
                () -> {
                  for (int i = 0; i < head.length(); i++) {
                    connection.send(head.substring(i, i + 1));
                    Thread.sleep(100);
                  }
                })
            .isInstanceOf(IOException.class);
      }
    }
  }

  /**
   * A proxy that passes an upgrade on from its client would hand it a connection to this server.
   */
  @Test
  void connectionsAreNotUpgraded() throws IOException {
    try (RawConnection connection = connect()) {
      connection.send(
          String.join(
              "\r\n",
              "GET /livez HTTP/1.1",
              "Host: localhost",
              "Connection: Upgrade, HTTP2-Settings",
              "Upgrade: h2c",
              "HTTP2-Settings: AAMAAABkAAQAAP__",
              "",
              ""));
      assertThat(connection.until("ok\n")).startsWith("HTTP/1.1 200 OK");
    }
    try (RawConnection connection = connect()) {
      connection.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
      assertThat(connection.everything()).doesNotContain("200 OK");
    }
  }

  @Test
  void aHalfClosedConnectionIsStillAnswered() throws IOException {
    try (RawConnection connection = connect()) {
      connection.send(HEAD + "Content-Length: " + ASK.length() + "\r\n\r\n" + ASK).halfClose();
      // Either the answer or the end: never silence.
      assertThat(connection.everything())
          .satisfiesAnyOf(
              answer -> assertThat(answer).startsWith("HTTP/1.1 200 OK"),
              answer -> assertThat(answer).isEmpty());
    }
    try (RawConnection connection = connect()) {
      connection.send(HEAD + "Content-Length: 100\r\n\r\n{\"policy\"").halfClose();
      assertThat(connection.everything()).doesNotContain("HTTP/1.1 200");
    }
  }

  @Test
  void pipelinedRequestsAreAnsweredInOrder() throws IOException {
    String one = HEAD + "Content-Length: " + ASK.length() + "\r\n\r\n" + ASK;
    try (RawConnection connection = connect()) {
      connection.send(one + "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n" + one);
      assertThat(connection.until("\"store\"}")).startsWith("HTTP/1.1 200 OK");
      assertThat(connection.until("there is\"}")).startsWith("HTTP/1.1 404");
      assertThat(connection.until("\"store\"}")).startsWith("HTTP/1.1 200 OK");
    }
  }

  @Test
  void connectionsBeyondTheMaximumAreClosed() throws Exception {
    RawConnection[] connections = new RawConnection[80];
    int answered = 0;
    try {
      for (int i = 0; i < connections.length; i++) {
        connections[i] = connect();
        connections[i].send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n");
        String answer = connections[i].until("ok\n");
        answered += answer.startsWith("HTTP/1.1 200") ? 1 : 0;
      }
    } finally {
      for (RawConnection connection : connections) {
        if (connection != null) {
          connection.close();
        }
      }
    }
    // Some belong to the client of other tests.
    assertThat(answered).isBetween(40, 50);
    // Room again, once the server has seen that they are closed.
    String answer = "";
    for (int i = 0; i < 500 && !answer.startsWith("HTTP/1.1 200"); i++) {
      try (RawConnection connection = connect()) {
        answer =
            connection
                .send("GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                .everything();
      }
    }
    assertThat(answer).startsWith("HTTP/1.1 200");
  }
}
