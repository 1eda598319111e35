package dev.sash.spring;

/** On a real Netty. */
class WebFluxAnnotationsIT extends AnnotatedHandlersContract {
  @Override
  TestApp.Builder app(Class<?>... sources) {
    return TestApp.reactive(sources);
  }
}
