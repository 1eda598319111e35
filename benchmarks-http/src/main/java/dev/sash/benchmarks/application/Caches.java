package dev.sash.benchmarks.application;

import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;

/** Bucket4j's starter keeps its buckets in Spring's cache. */
@Configuration(proxyBeanMethods = false)
@EnableCaching
@Profile("bucket4j-starter")
class Caches {}
