package dev.sash.spring.config;

import dev.sash.http.FieldStyle;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * What can be configured. A property that is not known ends the start of the application: a limit
 * that is misspelt would not be one.
 *
 * @param enabled Whether requests and annotated methods are limited.
 * @param store Where limits are kept: auto, memory or redis.
 * @param memory Limits kept in memory.
 * @param redis Limits kept in Redis.
 * @param web Limits of HTTP requests.
 * @param client Limits of calls to other services.
 * @param tiers Who belongs to which tier, by the tier's name.
 * @param policies What is limited, and how much, by the policy's name.
 */
@ConfigurationProperties(prefix = SashProperties.PREFIX, ignoreUnknownFields = false)
public record SashProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue("auto") StoreKind store,
    @DefaultValue Memory memory,
    @DefaultValue Redis redis,
    @DefaultValue Web web,
    @DefaultValue @NestedConfigurationProperty ClientProperties client,
    @DefaultValue Map<String, TierProperties> tiers,
    @DefaultValue Map<String, PolicyProperties> policies) {

  /** What all names begin with. */
  public static final String PREFIX = "sash";

  /** Where limits are kept. */
  public enum StoreKind {
    /** In Redis if {@code sash.redis.uri} is set or Spring has a connection; else in memory. */
    AUTO,
    /** In this process. */
    MEMORY,
    /** In Redis, shared by all processes. */
    REDIS
  }

  /**
   * Limits kept in memory.
   *
   * @param maxKeys The most keys that each policy holds; beyond it, new keys share a limit.
   * @param maxBytes The most memory for keys and their state, of all policies together, also for
   *     the rule 'local' while Redis is unavailable. A quarter of the maximum heap if it is not
   *     set.
   */
  public record Memory(@DefaultValue("1000000") int maxKeys, @Nullable DataSize maxBytes) {}

  /**
   * Limits kept in Redis.
   *
   * @param uri Where Redis is, such as redis://user:password@host:6379/0. Several servers of a
   *     cluster are separated by spaces. Spring's own connection if it is not set.
   * @param prefix What the names of all keys in Redis begin with.
   * @param nodes The number of processes that share the limits by the rule 'local' while Redis is
   *     unavailable.
   * @param denyCacheTtl How long a denial is believed without asking Redis again.
   * @param connectTimeout How long to wait for a connection; 1s unless set, and 5s for the first.
   * @param trustedCertificates File of certificates to trust with TLS, in place of those that the
   *     JVM trusts.
   */
  public record Redis(
      @Nullable String uri,
      @DefaultValue("sash") String prefix,
      @DefaultValue("1") int nodes,
      @DefaultValue("1s") Duration denyCacheTtl,
      @Nullable Duration connectTimeout,
      @Nullable Path trustedCertificates) {}

  /**
   * Limits of HTTP requests.
   *
   * @param filterOrder The order of the one filter that checks all policies. Unless set, there are
   *     two: one just before Spring Security, and one just after it for keys that need the user.
   * @param waitForDecisions Whether a servlet container's thread waits while Redis decides. Only if
   *     a filter behind this one is not mapped to asynchronous dispatches, unless set.
   * @param trustedProxies Addresses and networks of the proxies that are believed about the client.
   * @param trustedProxyHeader The field in which those proxies tell the client's address:
   *     X-Forwarded-For, Forwarded, or one that holds a single address.
   * @param exemptPaths Paths that are not limited, besides health checks.
   * @param limitHealthChecks Whether health checks are limited like everything else.
   * @param allowAddresses Addresses and networks of clients that are not limited.
   * @param denyAddresses Addresses and networks of clients that are refused with 403.
   * @param allowKeys Keys that are not limited, such as user:ann.
   * @param denyKeys Keys that are refused with 403, such as user:eve.
   * @param fields In which header fields responses tell what is left.
   * @param denial The response to a denied request.
   * @param login How clients log in, for policies that charge failed logins.
   */
  public record Web(
      @Nullable Integer filterOrder,
      @Nullable Boolean waitForDecisions,
      @DefaultValue List<String> trustedProxies,
      @DefaultValue("X-Forwarded-For") String trustedProxyHeader,
      @DefaultValue List<String> exemptPaths,
      @DefaultValue("false") boolean limitHealthChecks,
      @DefaultValue List<String> allowAddresses,
      @DefaultValue List<String> denyAddresses,
      @DefaultValue List<String> allowKeys,
      @DefaultValue List<String> denyKeys,
      @DefaultValue("ratelimit") Set<FieldStyle> fields,
      @DefaultValue Denial denial,
      @DefaultValue Login login) {}

  /**
   * The response to a denied request. A bean of type DenialFormat writes it instead.
   *
   * @param status The status of a response to a request over a limit, 400 to 599; 429 unless set.
   * @param title The title of the problem.
   * @param type The type of the problem, a URI.
   * @param template The body, in which {status}, {title}, {type}, {detail}, {policies} and
   *     {retry-after} are replaced. A problem (RFC 9457), text or HTML unless set.
   * @param contentType The media type of the template.
   */
  public record Denial(
      @Nullable Integer status,
      @Nullable String title,
      @Nullable String type,
      @Nullable String template,
      @DefaultValue("text/plain; charset=utf-8") String contentType) {}

  /**
   * How clients log in.
   *
   * @param paths Paths to which a login form or other credentials are posted.
   * @param parameter The parameter of the form that holds the user's name.
   */
  public record Login(
      @DefaultValue("/login") List<String> paths, @DefaultValue("username") String parameter) {}
}
