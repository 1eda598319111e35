package dev.sash.examples.shop;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Sends requests to the shop. */
final class Customer {
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String shop;

  Customer(String shop) {
    this.shop = shop;
  }

  HttpResponse<String> search(String... headers) throws IOException, InterruptedException {
    HttpRequest.Builder request = request("/api/search?words=tea");
    return send(headers.length == 0 ? request : request.headers(headers));
  }

  HttpResponse<String> upload(String picture) throws IOException, InterruptedException {
    String parts =
        """
        --part
        Content-Disposition: form-data; name="picture"; filename="tea.png"

        %s
        --part--
        """
            .formatted(picture)
            .replace("\n", "\r\n");
    return send(
        request("/api/uploads")
            .header("Content-Type", "multipart/form-data; boundary=part")
            .POST(BodyPublishers.ofString(parts)));
  }

  /** Posts the login form. */
  HttpResponse<String> logIn(String name, String password, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        request("/login")
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString("username=" + name + "&password=" + password));
    return send(headers.length == 0 ? request : request.headers(headers));
  }

  HttpResponse<String> orders(String... headers) throws IOException, InterruptedException {
    HttpRequest.Builder request = request("/api/orders");
    return send(headers.length == 0 ? request : request.headers(headers));
  }

  HttpResponse<String> logOut(String... headers) throws IOException, InterruptedException {
    return send(request("/logout").headers(headers).POST(BodyPublishers.noBody()));
  }

  /** Returns the value of {@code Authorization}. */
  static String basic(String name, String password) {
    byte[] credentials = (name + ":" + password).getBytes(StandardCharsets.UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(credentials);
  }

  HttpResponse<String> status() throws IOException, InterruptedException {
    return send(request("/api/status"));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(shop + path));
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return client.send(request.build(), BodyHandlers.ofString());
  }
}
