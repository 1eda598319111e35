package dev.sash.benchmarks.application;

import java.math.BigDecimal;
import java.util.List;

/** What the shop sells. */
record Product(long id, String name, BigDecimal price, int inStock, List<String> tags) {}
