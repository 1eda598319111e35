package dev.sash.spring.autoconfigure;

import dev.sash.spring.config.SashProperties;
import dev.sash.spring.web.WebLimits;

/** Where the filter stands. */
final class FilterOrders {
  /** Of Spring Security's filters, whose class need not be there. */
  private static final int SECURITY = -100;

  private FilterOrders() {}

  /** Behind whoever authenticates only if it must be: what is denied should not cost anything. */
  static int orderOf(SashProperties.Web web, WebLimits limits) {
    Integer configured = web.filterOrder();
    if (configured != null) {
      return configured;
    }
    return limits.usePrincipal() ? SECURITY + 10 : SECURITY - 10;
  }
}
