package dev.sash.spring.autoconfigure;

import dev.sash.redis.RedisStore;
import dev.sash.spring.config.BadConfigurationException;
import dev.sash.spring.config.SashProperties;
import dev.sash.spring.redis.RedisLookup;
import dev.sash.spring.redis.RedisStores;
import dev.sash.spring.redis.SpringRedisConnection;
import io.lettuce.core.RedisClient;
import java.util.function.Consumer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Limits in Redis: if {@code sash.store} says so, or leaves it open and there is a Redis, by {@code
 * sash.redis.uri} or by Spring's own connection. Applications may leave {@code sash-redis} and
 * Lettuce out: then limits are kept in memory, and the start fails if a property demands Redis.
 */
@AutoConfiguration(
    afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@EnableConfigurationProperties(SashProperties.class)
public final class SashRedisAutoConfiguration {
  private static final String STORE = "sash.store";
  private static final String URI = "sash.redis.uri";

  /** For Spring. */
  public SashRedisAutoConfiguration() {}

  /** Says where Redis is if no URI does. */
  interface RedisLocation extends Consumer<RedisStore.Builder> {}

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({
    RedisStore.class,
    RedisClient.class,
    RedisConnectionFactory.class,
    DataRedisConnectionDetails.class
  })
  @ConditionalOnBean(RedisConnectionFactory.class)
  static class SpringsConnection {
    @Bean
    RedisLocation sashRedisLocation(
        ObjectProvider<RedisConnectionFactory> factories,
        ObjectProvider<DataRedisConnectionDetails> details) {
      return builder -> {
        DataRedisConnectionDetails connection = details.getIfUnique();
        if (connection != null && connection.getMasterReplica() != null) {
          throw BadConfigurationException.property(
              URI,
              "must be set to the master, or sash.store=memory:"
                  + " spring.data.redis.masterreplica does not say which node that is");
        }
        RedisConnectionFactory factory = factories.getIfUnique();
        if (factory == null) {
          throw BadConfigurationException.property(
              URI, "must be set, or sash.store=memory: Spring has several connections to Redis");
        }
        SpringRedisConnection.configure(factory, builder);
      };
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({RedisStore.class, RedisClient.class})
  static class Lookup {
    @Bean
    RedisLookup sashRedisLookup(ObjectProvider<RedisStore> stores) {
      return () -> {
        RedisStore store = stores.getIfAvailable();
        return store == null ? null : store::isUp;
      };
    }
  }

  /** Registers no store, but ends the start instead of keeping limits in memory unnoticed. */
  @Configuration(proxyBeanMethods = false)
  @Conditional({OnMissingClasses.class, OnDemand.class, OnNotMemory.class})
  static class Missing {
    @Bean
    @ConditionalOnMissingBean
    dev.sash.store.Store sashMissingRedisStore(SashProperties properties) {
      boolean isChosen = properties.store() == SashProperties.StoreKind.REDIS;
      boolean hasSashRedis =
          ClassUtils.isPresent("dev.sash.redis.RedisStore", getClass().getClassLoader());
      throw BadConfigurationException.property(
          isChosen ? STORE : URI,
          "needs "
              + (hasSashRedis ? "io.lettuce:lettuce-core" : "dev.sash:sash-redis")
              + " on the class path, which is missing: add this dependency, or "
              + (isChosen ? "set sash.store=memory" : "remove this property"));
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({RedisStore.class, RedisClient.class})
  @Conditional({OnRedis.class, OnNotMemory.class})
  static class Store {
    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean(dev.sash.store.Store.class)
    RedisStore sashRedisStore(SashProperties properties, ObjectProvider<RedisLocation> location) {
      return RedisStores.connect(properties, location.getIfAvailable(() -> Store::missing));
    }

    private static void missing(RedisStore.Builder builder) {
      throw BadConfigurationException.property(
          URI, "must be set with sash.store=redis: Spring has no connection to Redis");
    }
  }

  /** There is a Redis, or there has to be. */
  static final class OnRedis extends AnyNestedCondition {
    OnRedis() {
      super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnProperty(name = STORE, havingValue = "redis")
    static final class Chosen {}

    @Conditional(UriIsSet.class)
    static final class Named {}

    @ConditionalOnBean(type = "org.springframework.data.redis.connection.RedisConnectionFactory")
    static final class Springs {}

    @ConditionalOnBean(RedisStore.class)
    static final class Made {}
  }

  /** A property demands Redis, whatever else is there. */
  static final class OnDemand extends AnyNestedCondition {
    OnDemand() {
      super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnProperty(name = STORE, havingValue = "redis")
    static final class Chosen {}

    @Conditional(UriIsSet.class)
    static final class Named {}
  }

  /** The application has left out what limits in Redis need. */
  static final class OnMissingClasses extends NoneNestedConditions {
    OnMissingClasses() {
      super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnClass({RedisStore.class, RedisClient.class})
    static final class Present {}
  }

  /** A variable that is not set must not leave an application without Redis that has one. */
  static final class UriIsSet implements Condition {
    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      return StringUtils.hasText(context.getEnvironment().getProperty(URI));
    }
  }

  /** Memory is not asked for. */
  static final class OnNotMemory extends NoneNestedConditions {
    OnNotMemory() {
      super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnProperty(name = STORE, havingValue = "memory")
    static final class Chosen {}
  }
}
