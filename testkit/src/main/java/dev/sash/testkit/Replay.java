package dev.sash.testkit;

import java.lang.reflect.Method;
import org.junit.jupiter.api.TestInfo;

/** How to run one failed random case again. */
final class Replay {
  private Replay() {}

  /** The command line, with the property that unit tests and integration tests are chosen by. */
  static String command(TestInfo test, long seed) {
    String name = test.getTestClass().map(Class::getSimpleName).orElse("*");
    String method = test.getTestMethod().map(Method::getName).orElse("*");
    String command = name.endsWith("IT") ? "mvn verify -Dit.test=" : "mvn test -Dtest=";
    return command + name + "#" + method + " -Dsash.seed=" + seed;
  }
}
