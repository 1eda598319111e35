package dev.sash.examples.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A shop over HTTP. What is limited, and how much, stands in {@code application.yaml}. */
@SpringBootApplication(proxyBeanMethods = false)
public class Shop {
  /** For Spring. */
  public Shop() {}

  /**
   * Serves until the process ends.
   *
   * @param args properties, such as {@code --server.port=8081}
   */
  public static void main(String[] args) {
    var shop = SpringApplication.run(Shop.class, args);
    System.out.printf(
        """
        Try; [1-31] makes 31 requests of one, and the last is too much:
          curl -i '%1$s/api/search?words=tea&page=[1-31]'
          curl -i -H 'X-Api-Key: pro-1' '%1$s/api/search?words=tea&page=[1-301]'
          curl -i -F 'picture=a cup;filename=tea.png' '%1$s/api/uploads?[1-6]'
          curl -i '%1$s/api/status?[1-1001]'
          curl -i -u ann:sesame '%1$s/api/orders?[1-21]'
        Correct passwords cost nothing; wrong ones are limited by name and address, and by address:
          curl -i -d 'username=ann&password=sesame' '%1$s/login?[1-6]'
          curl -i -d 'username=ann&password=guess' '%1$s/login?[1-6]'
          for i in $(seq 51); do curl -i -d "username=user$i&password=guess" '%1$s/login'; done
        """,
        "http://127.0.0.1:" + shop.getEnvironment().getProperty("local.server.port"));
  }
}
