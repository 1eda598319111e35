package dev.sash.spring;

/** On a real Tomcat. */
class MvcAnnotationsIT extends AnnotatedHandlersContract {
  @Override
  TestApp.Builder app(Class<?>... sources) {
    return TestApp.servlet(sources);
  }
}
