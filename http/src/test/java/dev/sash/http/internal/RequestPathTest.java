package dev.sash.http.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.http.Hostile;
import dev.sash.http.Tables;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestPathTest {
  @Test
  void onePathHasOneForm() {
    Tables.rows(
            """
            /                      | /                | clear
            -                      | /                | clear
            /login                 | /login           | clear
            //login                | /login           | clear
            /login/                | /login           | clear
            /login;jsessionid=1    | /login           | clear
            /login;a=/b            | /login/b         | clear
            /%6Cogin               | /login           | clear
            /caf%C3%A9             | /café            | clear
            /a%20b                 | /a b             | clear
            /a+b                   | /a+b             | clear
            /%252F                 | /%2F             | clear
            /a%3Bb                 | /a;b             | clear
            /./login               | /login           | ambiguous
            /a/../login            | /login           | ambiguous
            /../../login           | /login           | ambiguous
            /a/%2e%2E/login        | /login           | ambiguous
            /a/..;x/login          | /login           | ambiguous
            /a%2Flogin             | /a/login         | ambiguous
            /a/..%2flogin          | /login           | ambiguous
            /a\\login              | /a/login         | ambiguous
            /a%5clogin             | /a/login         | ambiguous
            /a%                    | /a%              | ambiguous
            /a%2                   | /a%2             | ambiguous
            /a%zz                  | /a%zz            | ambiguous
            /a%FF                  | /aÿ              | ambiguous
            """)
        .forEach(
            row -> {
              RequestPath path = RequestPath.of(row.get(0));
              assertThat(path).as("%s", row).hasToString(row.get(1));
              assertThat(path.ambiguous() ? "ambiguous" : "clear")
                  .as("%s", row)
                  .isEqualTo(row.get(2));
            });
    assertThat(RequestPath.of("/a%00").ambiguous()).isTrue();
  }

  @Test
  void patternsMatchSegmentBySegment() {
    Tables.rows(
            """
            /users/7         | /users/7           | true
            /users/7         | /users/8           | false
            /users/*         | /users/7           | true
            /users/*         | /users             | false
            /users/*         | /users/7/orders    | false
            /users/*/orders  | /users/7/orders    | true
            /users/*/orders  | /users/7/carts     | false
            /users/{id}      | /users/7           | true
            /users/{user-id} | /users/7           | true
            /users/{id}/x    | /users/7/x         | true
            /api/**          | /api               | true
            /api/**          | /api/              | true
            /api/**          | /api/a/b/c         | true
            /api/**          | /apis              | false
            /api/*/x/**      | /api/1/x           | true
            /api/*/x/**      | /api/1/y           | false
            /**              | /                  | true
            /**              | /a/b               | true
            /                | /                  | true
            /                | /a                 | false
            /a/              | /a                 | true
            /A               | /a                 | false
            """)
        .forEach(
            row ->
                assertThat(PathPattern.parse(row.get(0)).matches(RequestPath.of(row.get(1))))
                    .as("%s", row)
                    .isEqualTo(Boolean.parseBoolean(row.get(2))));
  }

  @Test
  void patternsThatCannotBeReadSayWhy() {
    String usual = "pattern must be like /users/*/orders, /users/{id} or /api/**, was ";
    Tables.rows(
            """
            api          | 'api': it must begin with a slash
            /a/**/b      | '/a/**/b': ** must be its last segment
            /a/*.css     | '/a/*.css': * and {name} must be whole segments, found '*.css'
            /a/{id:\\d+} | '/a/{id:\\d+}': * and {name} must be whole segments, found '{id:\\d+}'
            /a/{}        | '/a/{}': * and {name} must be whole segments, found '{}'
            /a/x{id}     | '/a/x{id}': * and {name} must be whole segments, found 'x{id}'
            /caf%C3%A9   | '/caf%C3%A9': it must be decoded, without dot segments and ? # ; \\, found 'caf%C3%A9'
            /a?b=c       | '/a?b=c': it must be decoded, without dot segments and ? # ; \\, found 'a?b=c'
            /a/../b      | '/a/../b': it must be decoded, without dot segments and ? # ; \\, found '..'
            /a;v=1       | '/a;v=1': it must be decoded, without dot segments and ? # ; \\, found 'a;v=1'
            """)
        .forEach(
            row ->
                assertThatThrownBy(() -> PathPattern.parse(row.get(0)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(usual + row.get(1)));
  }

  @Test
  void hostilePathsNeitherThrowNorChangeWhenReadAgain() {
    Hostile draw = new Hostile(Hostile.SEED);
    for (int i = 0; i < 50_000; i++) {
      RequestPath path = RequestPath.of("/" + draw.text());
      assertThat(path.segments()).as(Hostile.REPLAY).doesNotContain("", ".", "..");
      for (String segment : path.segments()) {
        assertThat(List.of(segment.indexOf('/'), segment.indexOf('\\')))
            .as("'%s', %s", segment, Hostile.REPLAY)
            .containsOnly(-1);
      }
    }
  }
}
