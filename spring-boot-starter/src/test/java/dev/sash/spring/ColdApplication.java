package dev.sash.spring;

import java.io.IOException;
import java.io.OutputStream;

/** An application in a process that has just started; it ends when its input does. */
final class ColdApplication {
  /** Before the address at which requests are answered. */
  static final String AT = "at ";

  private ColdApplication() {}

  @SuppressWarnings("SystemOut")
  public static void main(String[] arguments) throws IOException {
    TestApp.Builder builder =
        RedisDownIT.Framework.valueOf(arguments[0]).app(RedisDownIT.Application.class);
    for (int i = 1; i < arguments.length; i++) {
      builder.with(arguments[i]);
    }
    try (TestApp app = builder.start()) {
      System.out.println(AT + app.uri(""));
      System.in.transferTo(OutputStream.nullOutputStream());
    }
  }
}
