package dev.sash.spring.webmvc;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.web.servlet.AbstractFilterRegistrationBean;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.OrderUtils;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Whether a filter behind the one that limits would be passed by if a request were dispatched
 * again: then the limiting one has to wait for its decisions instead. Spring Boot maps a plain
 * filter to ordinary requests only, and it may be the one that checks passwords.
 */
public final class FiltersBehind implements BooleanSupplier {
  private static final Logger LOG = LoggerFactory.getLogger(FiltersBehind.class);

  private final ListableBeanFactory beans;
  private final int order;
  private volatile int known = -1;

  /**
   * Looks at the filters with the first decision that is not there at once.
   *
   * @param beans the filters are among them
   * @param order of the filter that limits
   */
  public FiltersBehind(ListableBeanFactory beans, int order) {
    this.beans = beans;
    this.order = order;
  }

  @Override
  public boolean getAsBoolean() {
    if (known < 0) {
      Set<String> passedBy = passedBy();
      if (!passedBy.isEmpty()) {
        LOG.info(
            "Threads wait while the store decides, since filters behind the rate limit are not"
                + " mapped to asynchronous dispatches: {}",
            passedBy);
      }
      known = passedBy.isEmpty() ? 0 : 1;
    }
    return known > 0;
  }

  private Set<String> passedBy() {
    Set<String> passedBy = new TreeSet<>();
    Set<Object> registered = new HashSet<>();
    for (String name : beans.getBeanNamesForType(AbstractFilterRegistrationBean.class)) {
      if (beans.getBean(name) instanceof AbstractFilterRegistrationBean<?> registration) {
        registered.add(
            registration instanceof FilterRegistrationBean<?> known && known.getFilter() != null
                ? known.getFilter()
                : registration.getFilterName());
        if (registration.isEnabled()
            && registration.getOrder() >= order
            && !registration.determineDispatcherTypes().contains(DispatcherType.ASYNC)) {
          passedBy.add(name);
        }
      }
    }
    for (Map.Entry<String, Filter> entry : beans.getBeansOfType(Filter.class).entrySet()) {
      Filter filter = entry.getValue();
      if (!registered.contains(filter)
          && !registered.contains(entry.getKey())
          && !(filter instanceof OncePerRequestFilter)
          && orderOf(entry.getKey(), filter) >= order) {
        passedBy.add(entry.getKey());
      }
    }
    return passedBy;
  }

  private int orderOf(String name, Filter filter) {
    if (filter instanceof Ordered ordered) {
      return ordered.getOrder();
    }
    var annotation =
        beans.findAnnotationOnBean(name, org.springframework.core.annotation.Order.class);
    return annotation != null
        ? annotation.value()
        : OrderUtils.getOrder(filter.getClass(), Ordered.LOWEST_PRECEDENCE);
  }
}
