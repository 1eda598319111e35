package dev.sash.config;

import dev.sash.address.AddressRanges;

/**
 * The proxies that call the forward-auth endpoint. Immutable.
 *
 * @param trusted their networks: only they are believed about the original request
 * @param forwardedBy their kind, and with it the header fields they write
 * @param denyStatus the HTTP status with which requests are denied: 401, 403, 429 or 503
 */
public record ProxyConfig(AddressRanges trusted, ForwardedBy forwardedBy, int denyStatus) {
  private static final int TOO_MANY_REQUESTS = 429;

  /** No proxy is trusted. */
  public static final ProxyConfig NONE =
      new ProxyConfig(AddressRanges.NONE, ForwardedBy.NONE, TOO_MANY_REQUESTS);

  /**
   * Returns the status of denials unless a file names another.
   *
   * @param proxy the kind of proxy
   * @return 403 for nginx, which makes an error of every status except 401 and 403
   */
  static int defaultDenyStatus(ForwardedBy proxy) {
    return proxy == ForwardedBy.NGINX ? 403 : TOO_MANY_REQUESTS;
  }
}
