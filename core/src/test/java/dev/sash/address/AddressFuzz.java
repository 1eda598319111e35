package dev.sash.address;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Text that anybody may send as an address, led by coverage: it is refused, or means what the JDK
 * says. In the build each test runs on the inputs in {@code AddressFuzzInputs}; CONTRIBUTING.md
 * tells how to look for more.
 */
class AddressFuzz {
  @FuzzTest(maxDuration = "1m")
  void address(FuzzedDataProvider data) throws UnknownHostException {
    String text = data.consumeRemainingAsString();
    IpAddress address = IpAddress.parseOrNull(text);
    if (address != null) {
      assertThat(IpAddress.parse(address.toString())).isEqualTo(address);
      // A literal, so that no name server is asked.
      InetAddress ofTheJdk = InetAddress.getByName(text);
      assertThat(IpAddress.of(ofTheJdk)).isEqualTo(address);
      assertThat(IpAddress.parse(ofTheJdk.getHostAddress())).isEqualTo(address);
      assertThat(AddressRanges.of(text).contains(address)).isTrue();
    }
    IpAddress.parsePeer(text);
  }

  @FuzzTest(maxDuration = "1m")
  void range(FuzzedDataProvider data) {
    String text = data.consumeRemainingAsString();
    try {
      String written = AddressRanges.of(text).toString(); // [10.0.0.0/8]
      AddressRanges same = AddressRanges.of(written.substring(1, written.length() - 1));
      assertThat(same).hasToString(written);
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageContaining("'" + text + "'");
    }
  }
}
