package dev.sash.cli;

import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does something when the process gets a signal. The JDK's class for that is not for everybody, and
 * to the compiler not there: it is found at run time.
 */
final class Signals {
  private static final Logger LOG = LoggerFactory.getLogger(Signals.class);

  private Signals() {}

  /**
   * From now on.
   *
   * @param name the signal, such as {@code HUP}; where there is none of that name, nothing happens
   * @param action what to do, on a thread of the JVM
   */
  static void on(String name, Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object doer =
          Proxy.newProxyInstance(
              Signals.class.getClassLoader(),
              new Class<?>[] {handler},
              (proxy, method, arguments) -> {
                if (method.getName().equals("handle")) {
                  action.run();
                }
                return null;
              });
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), doer);
    } catch (ReflectiveOperationException e) {
      LOG.debug("there is no signal {}", name, e);
    }
  }
}
