package dev.sash.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Limit;
import dev.sash.RateLimiter;
import dev.sash.Sash;
import dev.sash.key.Keys;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KeyExtractorTest {
  private static String key(KeyExtractor extractor, TestRequest request) {
    return extractor.keyOf(request.incoming());
  }

  @Test
  void addressesOfOneClientAreOneKey() {
    Tables.rows(
            """
            192.0.2.1                 | ip:192.0.2.1
            ::ffff:192.0.2.1          | ip:192.0.2.1
            ::ffff:c000:201           | ip:192.0.2.1
            2001:db8:1:2::1           | ip:2001:db8:1:2::/64
            2001:db8:1:2:ffff:1:2:3   | ip:2001:db8:1:2::/64
            2001:db8:1:3::1           | ip:2001:db8:1:3::/64
            ::1                       | ip:::/64
            /run/app.sock             | ip:unknown
            """)
        .forEach(
            row ->
                assertThat(key(KeyExtractor.clientAddress(), TestRequest.get("/").peer(row.get(0))))
                    .isEqualTo(row.get(1)));
  }

  @Test
  void networksMayBeOfAnySize() {
    KeyExtractor wide = KeyExtractor.clientAddress(24, 48);
    KeyExtractor exact = KeyExtractor.clientAddress(32, 128);
    TestRequest four = TestRequest.get("/").peer("192.0.2.77");
    TestRequest six = TestRequest.get("/").peer("2001:db8:1:2::7");

    assertThat(key(wide, four)).isEqualTo("ip:192.0.2.0/24");
    assertThat(key(wide, six)).isEqualTo("ip:2001:db8:1::/48");
    assertThat(key(exact, six)).isEqualTo("ip:2001:db8:1:2::7");
    assertThatThrownBy(() -> KeyExtractor.clientAddress(33, 64))
        .hasMessage("ipv4Bits must be between 1 and 32, was 33");
    assertThatThrownBy(() -> KeyExtractor.clientAddress(32, 0))
        .hasMessage("ipv6Bits must be between 1 and 128, was 0");
  }

  @Test
  void eachKindOfKeyHasItsPrefix() {
    TestRequest request =
        TestRequest.of("POST", "/users/7/?api+key=a%20b&x&api+key=second")
            .principal("ann")
            .route("/users/{id}")
            .header("X-Api-Key", " s3cret ", "another")
            .header("X-Tenant", "blue")
            .header("Cookie", "a=1; session=\"abc\"; session=second", "b=2");
    List.of(
            Map.entry(KeyExtractor.principal(), "user:ann"),
            Map.entry(KeyExtractor.header("X-Tenant"), "header:x-tenant:blue"),
            Map.entry(KeyExtractor.queryParameter("api key"), "query:api key:a b"),
            Map.entry(KeyExtractor.cookie("session"), "cookie:session:abc"),
            Map.entry(KeyExtractor.cookie("b"), "cookie:b:2"),
            Map.entry(KeyExtractor.path(), "path:/users/7"),
            Map.entry(KeyExtractor.route(), "route:/users/{id}"),
            Map.entry(KeyExtractor.method(), "method:POST"),
            Map.entry(KeyExtractor.everybody(), "all:"),
            Map.entry(KeyExtractor.by("tenant", r -> r.header("X-Tenant")), "tenant:blue"),
            Map.entry(
                KeyExtractor.principal().and(KeyExtractor.clientAddress()),
                "(user:ann|ip:192.0.2.1)"))
        .forEach(row -> assertThat(key(row.getKey(), request)).isEqualTo(row.getValue()));
    assertThat(key(KeyExtractor.apiKey("X-Api-Key"), request))
        .isEqualTo(Keys.ofApiKey("s3cret"))
        .matches("apikey:[A-Za-z0-9_-]{43}");
  }

  @Test
  void whatIsMissingOrEmptyIsNoKey() {
    TestRequest request =
        TestRequest.get("/?empty=&bare").header("X-Empty", "").header("Cookie", "empty=; x");
    List<KeyExtractor> extractors =
        List.of(
            KeyExtractor.principal(),
            KeyExtractor.route(),
            KeyExtractor.apiKey("X-Api-Key"),
            KeyExtractor.apiKey("X-Empty"),
            KeyExtractor.header("X-Empty"),
            KeyExtractor.queryParameter("empty"),
            KeyExtractor.queryParameter("bare"),
            KeyExtractor.queryParameter("missing"),
            KeyExtractor.cookie("empty"),
            KeyExtractor.cookie("x"),
            KeyExtractor.clientAddress().and(KeyExtractor.principal()),
            KeyExtractor.principal().hashed());
    for (KeyExtractor extractor : extractors) {
      assertThat(key(extractor, request)).isNull();
      assertThat(key(extractor.orElse(KeyExtractor.clientAddress()), request))
          .isEqualTo("ip:192.0.2.1");
    }
  }

  @Test
  void hashesHideTheValueAndKeepTheKind() {
    TestRequest ann = TestRequest.get("/").principal("ann");
    byte[] secret = "0123456789abcdef".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

    String plain = key(KeyExtractor.principal().hashed(), ann);
    String secretly = key(KeyExtractor.principal().hashed(secret), ann);

    assertThat(plain).matches("user#[A-Za-z0-9_-]{43}");
    assertThat(secretly).matches("user#[A-Za-z0-9_-]{43}").isNotEqualTo(plain);
    assertThat(key(KeyExtractor.principal().and(KeyExtractor.method()).hashed(), ann))
        .matches("#[A-Za-z0-9_-]{43}");
    assertThatThrownBy(() -> KeyExtractor.principal().hashed(new byte[15]))
        .hasMessage("secret must be 16 bytes or more, was 15");
  }

  @Test
  void namesDoNotRunIntoValues() {
    String first = key(KeyExtractor.queryParameter("a"), TestRequest.get("/?a=b:c"));
    String second = key(KeyExtractor.queryParameter("a:b"), TestRequest.get("/?a:b=c"));

    assertThat(first).isNotEqualTo(second);
  }

  @Test
  void aKeyOfAnyLengthIsTakenByALimiter() {
    RateLimiter limiter = Sash.inMemory(Limit.slidingLog(1, Duration.ofMinutes(1)));
    for (int length : new int[] {1, 341, 342, 1000, 1024, 1025, 5_000, 100_000}) {
      for (String letter : List.of("a", "é", "€", "😀", "\ud800")) {
        Charge charge = Charge.of(limiter, KeyExtractor.principal());
        String name = letter.repeat(length);
        PendingCharge one =
            charge.pendingFor(TestRequest.get("/").principal(name + "1").incoming());
        PendingCharge other =
            charge.pendingFor(TestRequest.get("/").principal(name + "2").incoming());

        assertThat(one.target().tryAcquire(1).allowed()).isTrue();
        assertThat(one.target().tryAcquire(1).allowed()).isFalse();
        assertThat(other.target().tryAcquire(1).allowed()).isTrue();
      }
    }
  }

  @Test
  void prefixesAndNamesAreChecked() {
    for (String prefix : List.of("", "User", "a:b", "1a", "sha256", "a".repeat(33))) {
      assertThatThrownBy(() -> KeyExtractor.by(prefix, r -> "x"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageEndingWith("was '" + prefix + "'");
    }
    assertThatThrownBy(() -> KeyExtractor.header("a b"))
        .hasMessage("field must be 1 or more letters, digits or !#$%&'*+-.^_`|~, was 'a b'");
    assertThatThrownBy(KeyExtractor::all).hasMessage("parts must be 1 or more, were 0");
  }
}
