package dev.sash.config;

import dev.sash.address.AddressRanges;
import dev.sash.config.internal.Setting;
import dev.sash.config.policy.AccessList;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Reads networks and keys. Keys, and addresses of clients, may be personal: no message has them.
 */
final class AccessLists {
  private static final int LONGEST_KEY = 1024;

  /** A slip in an address must not quietly make a key of it that nobody ever has. */
  private static final Pattern MEANT_AS_NETWORK =
      Pattern.compile("[0-9.]+/.*|[0-9]+(\\.[0-9]+){3}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*/.*");

  /** No address is longer, and on a long text the pattern would be slow. */
  private static final int LONGEST_NETWORK = 64;

  private AccessLists() {}

  static AccessList read(Setting setting) {
    Set<String> keys = new HashSet<>();
    List<String> networks = new ArrayList<>();
    for (Setting element : setting.oneOrMore()) {
      String entry = element.text("a network such as 10.0.0.0/8, or a key");
      if (entry == null) {
        continue;
      }
      if (isNetwork(entry)) {
        networks.add(entry);
      } else if (isMeantAsNetwork(entry)) {
        element.bad(
            "must be networks such as 10.0.0.0/8 and keys; this looks like a network and is none:"
                + " is the address whole, and zero behind the prefix length?");
      } else if (entry.isEmpty() || entry.getBytes(StandardCharsets.UTF_8).length > LONGEST_KEY) {
        element.bad("must have keys of 1 to " + LONGEST_KEY + " bytes of UTF-8");
      } else {
        keys.add(entry);
      }
    }
    return new AccessList(keys, AddressRanges.of(networks));
  }

  private static boolean isNetwork(String entry) {
    try {
      AddressRanges.of(entry);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean isMeantAsNetwork(String entry) {
    return entry.length() <= LONGEST_NETWORK && MEANT_AS_NETWORK.matcher(entry).matches();
  }

  static AddressRanges networks(Setting setting) {
    List<String> networks = new ArrayList<>();
    for (Setting element : setting.oneOrMore()) {
      String network = element.text("a network such as 10.0.0.0/8");
      if (network != null && element.check(() -> AddressRanges.of(network)) != null) {
        networks.add(network);
      }
    }
    return AddressRanges.of(networks);
  }
}
