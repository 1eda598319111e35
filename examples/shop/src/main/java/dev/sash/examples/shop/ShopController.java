package dev.sash.examples.shop;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartFile;

/** What the shop does. Knows nothing of limits. */
@RestController
class ShopController {
  private static final List<String> GOODS = List.of("black tea", "green tea", "tea pot", "coffee");

  /** In clear, because this is no real shop. */
  private static final Map<String, String> PASSWORDS = Map.of("ann", "sesame");

  @GetMapping("/api/search")
  List<String> search(@RequestParam String words) {
    String wanted = words.toLowerCase(Locale.ROOT);
    return GOODS.stream().filter(name -> name.contains(wanted)).toList();
  }

  @PostMapping("/api/uploads")
  @ResponseStatus(HttpStatus.CREATED)
  Map<String, Long> upload(@RequestParam MultipartFile picture) {
    return Map.of("bytes", picture.getSize());
  }

  @GetMapping("/api/status")
  Map<String, Boolean> status() {
    return Map.of("open", true);
  }

  @PostMapping("/login")
  ResponseEntity<String> login(@RequestParam String user, @RequestParam String password) {
    return password.equals(PASSWORDS.get(user))
        ? ResponseEntity.ok("Welcome, " + user + ".")
        : ResponseEntity.status(HttpStatus.UNAUTHORIZED).body("Wrong user or password.");
  }
}
