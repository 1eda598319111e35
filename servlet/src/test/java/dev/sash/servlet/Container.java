package dev.sash.servlet;

/** A servlet container on a free port of this machine, with one application under {@code /app}. */
interface Container {
  int port();

  void stop() throws Exception;
}
