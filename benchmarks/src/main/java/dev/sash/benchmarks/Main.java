package dev.sash.benchmarks;

/** {@code ./sash bench}. */
public final class Main {
  private Main() {}

  /** Runs JMH. */
  public static void main(String[] args) throws Exception {
    org.openjdk.jmh.Main.main(args);
  }
}
