package dev.sash.testkit.redis;

/** A program that ends without closing its servers, one of which cannot even be asked to end. */
final class LeftBehind {
  private LeftBehind() {}

  public static void main(String[] arguments) {
    RedisServer running = RedisServer.start();
    RedisServer paused = RedisServer.start();
    System.out.println(running.pid() + " " + RedisServerIT.directory(running));
    System.out.println(paused.pid() + " " + RedisServerIT.directory(paused));
    paused.pause();
  }
}
