package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.reactive.ReactiveWebServerFactory;

/** On a real Netty. */
class WebFluxIT extends WebContract {
  @Override
  TestApp.Builder app(Class<?>... sources) {
    return TestApp.reactive(sources);
  }

  @Test
  void theServerIsNetty() {
    try (TestApp app = app(Shop.class).start()) {
      assertThat(app.bean(ReactiveWebServerFactory.class))
          .isInstanceOf(NettyReactiveWebServerFactory.class);
    }
  }
}
