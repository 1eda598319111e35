package dev.sash.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class IncomingRequestTest {
  @Test
  void pathsAreWithinTheApplication() {
    Tables.rows(
            """
            /shop       | /shop        | /
            /shop/login | /shop        | /login
            /shop/login | /shop/       | /login
            //shop//x   | /shop        | /x
            /%73hop/x   | /shop        | /x
            /shopping/x | /shop        | /shopping/x
            /login      | -            | /login
            /a b/x      | /a%20b       | /x
            """)
        .forEach(
            row ->
                assertThat(TestRequest.get(row.get(0)).context(row.get(1)).incoming().path())
                    .as("%s", row)
                    .isEqualTo(row.get(2)));
  }
}
