package dev.sash.examples.shop;

import java.security.Principal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartFile;

/** The endpoints of the shop. They contain no code for limits. */
@RestController
class ShopController {
  private static final List<String> GOODS = List.of("black tea", "green tea", "tea pot", "coffee");

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

  @GetMapping("/api/orders")
  Map<String, List<String>> orders(Principal customer) {
    return Map.of(customer.getName(), List.of("tea pot"));
  }
}
