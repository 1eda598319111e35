package dev.sash.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.http.IncomingRequest;
import dev.sash.http.KeyExtractor;
import dev.sash.http.RequestView;
import dev.sash.http.TrustedProxies;
import dev.sash.key.Keys;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyExpressionTest {
  /** A request with everything. */
  private record Request(String principal) implements RequestView {
    private static final Map<String, String> FIELDS =
        Map.of("X-Tenant", "blue", "X-Api-Key", "s3cret", "Cookie", "session=abc");

    @Override
    public String method() {
      return "GET";
    }

    @Override
    public String path() {
      return "/users/7";
    }

    @Override
    public String query() {
      return "page=2";
    }

    @Override
    public List<String> headers(String name) {
      return FIELDS.containsKey(name)
          ? List.of(FIELDS.get(name))
          : FIELDS.entrySet().stream()
              .filter(field -> field.getKey().equalsIgnoreCase(name))
              .map(Map.Entry::getValue)
              .toList();
    }

    @Override
    public String peerAddress() {
      return "192.0.2.77";
    }

    @Override
    public String routeTemplate() {
      return "/users/{id}";
    }
  }

  private static String keyOf(String expression, String principal) {
    IncomingRequest request = new IncomingRequest(new Request(principal), TrustedProxies.none());
    return KeyExpression.parse(
            expression, name -> KeyExtractor.by("bean", r -> name + " of " + r.method()))
        .keyOf(request);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '=',
      textBlock =
          """
          ip                  = ip:192.0.2.77
          ip:24/48            = ip:192.0.2.0/24
          user                = user:ann
          header:X-Tenant     = header:x-tenant:blue
          query:page          = query:page:2
          cookie:session      = cookie:session:abc
          path                = path:/users/7
          route               = route:/users/{id}
          method              = method:GET
          all                 = all:
          bean:tenants        = bean:tenants of GET
          ip + route          = (ip:192.0.2.77|route:/users/{id})
          ip+method+path      = (ip:192.0.2.77|method:GET|path:/users/7)
          header:None | user  = user:ann
          header:None + ip|ip = ip:192.0.2.77
          user | ip           = user:ann
          """)
  void findsTheKey(String expression, String key) {
    assertThat(keyOf(expression, "ann")).isEqualTo(key);
  }

  @Test
  void secretsAreHashed() {
    assertThat(keyOf("apikey:X-Api-Key", "ann")).isEqualTo(Keys.ofApiKey("s3cret"));
    assertThat(keyOf("hashed:cookie:session", "ann")).startsWith("cookie#").doesNotContain("abc");
  }

  @Test
  void aFallbackIsForWhoHasNoKey() {
    assertThat(keyOf("user | ip", null)).isEqualTo("ip:192.0.2.77");
    assertThat(keyOf("user", null)).isNull();
  }

  @Test
  void tellsWhetherSomebodyMustBeAuthenticatedBefore() {
    assertThat(KeyExpression.parse("user | ip", name -> null).usesPrincipal()).isTrue();
    assertThat(KeyExpression.parse("hashed:user", name -> null).usesPrincipal()).isTrue();
    assertThat(KeyExpression.parse("ip + header:user", name -> null).usesPrincipal()).isFalse();
  }

  @Test
  void saysWhatItCannotRead() {
    for (String bad :
        List.of("", "ip|", "| ip", "ip:", "ip:24", "users", "all:x", "apikey", "x:y")) {
      assertThatThrownBy(() -> keyOf(bad, "ann"))
          .as(bad)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("was '" + bad + "'");
    }
  }
}
