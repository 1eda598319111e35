package dev.sash.spring;

/** On a real Tomcat. */
class MvcIT extends WebContract {
  @Override
  TestApp.Builder app(Class<?>... sources) {
    return TestApp.servlet(sources);
  }
}
