package dev.sash.server.rls.domain;

import static dev.sash.server.rls.domain.EnvoyFiles.any;
import static dev.sash.server.rls.domain.EnvoyFiles.minutely;
import static dev.sash.server.rls.domain.EnvoyFiles.one;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.config.envoy.EnvoyDescriptor;
import dev.sash.server.rls.wire.RlsRequest.Entry;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DescriptorTreeTest {
  /** The numbers tell the limits apart. */
  private static final List<EnvoyDescriptor> TREE =
      List.of(
          one("path", "/a*", minutely(1)),
          one("path", "/admin*", minutely(2)),
          one("path", "/admin", minutely(3)),
          any("path", minutely(4)),
          any("user", minutely(5), one("path", "/x", minutely(6)), one("path", "/y*", minutely(7))),
          one("user", "root", null, any("path", minutely(8))),
          one("user", "ann", minutely(9)),
          any("plan", null, one("plan", "free", minutely(10))),
          one("a_b", "c", minutely(11)),
          one("star", "*", minutely(12)),
          one("mid", "/api/*/action", minutely(13)),
          one("mid", "/api/*/b/*/c", minutely(14)),
          one("mid", "*.png", minutely(15)));

  private static final DescriptorTree<Long> LIMITS =
      new DescriptorTree<>(TREE, d -> Objects.requireNonNull(d.limit()).requestsPerUnit());

  private static Long find(String entries) {
    DescriptorTree.Found<Long> found = LIMITS.find(EnvoyFiles.entries(entries));
    return found == null ? null : found.limit();
  }

  @ParameterizedTest
  @CsvSource({
    // exact, before an asterisk that fits, before no value
    "path=/admin, 3",
    "path=/a, 1",
    "path=/other, 4",
    "path=, 4",
    // of asterisks the first in the file
    "path=/administrators, 1",
    // an asterisk is itself a value
    "path=/admin*, 2",
    "star=anything, 12",
    "star=, 12",
    // below
    "user=bob, 5",
    "user=bob path=/x, 6",
    "user=bob path=/yz, 7",
    "user=root path=/x, 8",
    "plan=pro plan=free, 10",
    "user=ann, 9",
    // asterisks anywhere, each for any characters or none
    "mid=/api/1/action, 13",
    "mid=/api//action, 13",
    "mid=/api/1/b/2/c, 14",
    "mid=/api/1/b/b/c, 14",
    "mid=/api/1/b/x/b/2/c, 14",
    "mid=a.png, 15",
    "mid=.png, 15",
  })
  void theMostSpecialLimitHolds(String entries, long limit) {
    assertThat(find(entries)).isEqualTo(limit);
  }

  @ParameterizedTest
  @CsvSource({
    "nobody=x",
    "user=bob path=/z", // no such value below
    "user=root", // no limit here, only below
    "plan=pro", // the same
    "plan=pro plan=pro",
    "path=/a user=bob", // deeper than the limit
    "user=bob path=/x more=1",
    "user=ann path=/x", // no way back to the user without a value
    "a=b_c", // joined by an underscore it would be the same
    "=", //
    "mid=/api/action", // what stands before and after an asterisk does not overlap
    "mid=/api/1/other",
    "mid=/api/1/b/c",
    "mid=png",
  })
  void noLimitHoldsWhereNoneStands(String entries) {
    assertThat(find(entries)).isNull();
  }

  @Test
  void anEmptyValueInAFileIsNone() {
    DescriptorTree<Long> tree =
        new DescriptorTree<>(List.of(one("user", "", minutely(1))), descriptor -> 1L);

    assertThat(tree.find(List.of(new Entry("user", "ann"))).limit()).isEqualTo(1);
  }
}
