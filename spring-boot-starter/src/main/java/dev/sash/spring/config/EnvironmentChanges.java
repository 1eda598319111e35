package dev.sash.spring.config;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;

/** Refreshes the policies when Spring Cloud reports a changed environment. */
public final class EnvironmentChanges implements ApplicationListener<ApplicationEvent> {
  /** By name, since an application need not have Spring Cloud. */
  private static final String CHANGED =
      "org.springframework.cloud.context.environment.EnvironmentChangeEvent";

  private final ObjectProvider<PolicyRefresh> refresh;

  /**
   * Creates a listener.
   *
   * @param refresh looked up with the first change: listeners are created before other beans
   */
  public EnvironmentChanges(ObjectProvider<PolicyRefresh> refresh) {
    this.refresh = refresh;
  }

  @Override
  public void onApplicationEvent(ApplicationEvent event) {
    if (event.getClass().getName().equals(CHANGED)) {
      refresh.ifAvailable(
          policies -> {
            var unused = policies.refresh();
          });
    }
  }
}
