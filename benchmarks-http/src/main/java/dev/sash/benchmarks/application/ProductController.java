package dev.sash.benchmarks.application;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Looks a product up and writes it as JSON: about as little as an endpoint does. */
@RestController
class ProductController {
  private final Map<Long, Product> products =
      LongStream.range(0, 1_000)
          .mapToObj(ProductController::product)
          .collect(Collectors.toMap(Product::id, Function.identity()));

  private static Product product(long id) {
    return new Product(
        id,
        "Product " + id,
        BigDecimal.valueOf(199 + 7 * id, 2),
        (int) (id % 50),
        List.of("tools", "garden", "size-" + id % 9));
  }

  @GetMapping("/api/products/{id}")
  Product product(@PathVariable("id") Long id) {
    Product found = products.get(id);
    if (found == null) {
      throw new ResponseStatusException(HttpStatus.NOT_FOUND);
    }
    return found;
  }
}
