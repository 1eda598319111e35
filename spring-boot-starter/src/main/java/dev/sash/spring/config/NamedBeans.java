package dev.sash.spring.config;

import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;

/** Finds what finds keys, for {@code bean:<name>}. */
public final class NamedBeans {
  private NamedBeans() {}

  /**
   * Returns a bean.
   *
   * @param beans all beans
   * @param name the bean's name
   * @param type what it must be
   * @param <T> what it must be
   * @return the bean
   * @throws IllegalArgumentException if there is no such bean
   */
  public static <T> T find(ListableBeanFactory beans, String name, Class<T> type) {
    if (!beans.containsBean(name) || !beans.isTypeMatch(name, type)) {
      throw new IllegalArgumentException(
          "key must be made of beans that are "
              + type.getSimpleName()
              + "s: "
              + List.of(beans.getBeanNamesForType(type))
              + ", was 'bean:"
              + name
              + "'");
    }
    return beans.getBean(name, type);
  }
}
