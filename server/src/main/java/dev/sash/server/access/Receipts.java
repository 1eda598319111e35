package dev.sash.server.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.FailureRule;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.store.Store;
import dev.sash.store.StoreException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Signed receipts of charges. Who has one may give the permits back, once, without any other right.
 * Thread-safe.
 *
 * <p>A receipt consists of a random number, the permits, the time of issue and the time when the
 * permits would have expired, and a signature (HMAC-SHA-256) over these, the policy, the key and
 * the kind of its limits. It contains neither the policy nor the key: a refund must name the same
 * ones. Servers with the same secret accept each other's receipts.
 *
 * <p>That a receipt was used is recorded in the same store as the charges, by a limit of one permit
 * on its random number, for twice as long as it is valid. So a receipt is good for one refund in
 * the whole fleet, even if the clocks of the servers differ. While the store is unavailable, no
 * receipt is accepted.
 */
public final class Receipts {
  /** The environment variable with the secret that all servers of a fleet share. */
  public static final String SECRET_VARIABLE = "SASH_RECEIPT_SECRET";

  private static final byte VERSION = 1;
  private static final int ID_BYTES = 16;
  private static final int BODY_BYTES = 1 + ID_BYTES + 3 * Long.BYTES;
  private static final int MAC_BYTES = 32;
  private static final String ALGORITHM = "HmacSHA256";
  private static final long MAX_LIFETIME_SECONDS = Duration.ofDays(183).toSeconds();

  /** The limit never decides: each receipt brings its own. */
  private static final Policy USED =
      Policy.internal("receipts")
          .withLimit(Limit.slidingLog(1, Duration.ofMinutes(1)))
          .onFailure(FailureRule.CLOSED);

  private final SecretKeySpec secret;
  private final InstantSource clock;
  private final RateLimiter used;
  private final SecureRandom random = new SecureRandom();

  /**
   * Creates receipts.
   *
   * @param secret signs; the same in all servers of a fleet
   * @param store records which receipts were used; the one that is charged
   * @param clock dates receipts
   */
  public Receipts(byte[] secret, Store store, InstantSource clock) {
    this.secret = new SecretKeySpec(secret, ALGORITHM);
    this.clock = clock;
    this.used = store.limiter(USED);
  }

  /**
   * Returns the secret in {@value #SECRET_VARIABLE}, or in the file that the same variable with the
   * suffix {@code _FILE} names.
   *
   * @param environment such as {@link System#getenv()}
   * @return null if there is none
   * @throws IllegalArgumentException if it can be guessed, or the file is unreadable; without the
   *     secret
   */
  public static @Nullable String secretOf(Map<String, String> environment) {
    return Secret.read(environment, SECRET_VARIABLE, TokenRule::check);
  }

  /**
   * A receipt that was verified.
   *
   * @param id the random number, for one use
   * @param permits the permits that were charged
   * @param lifetimeSeconds how long it is valid
   */
  public record Receipt(String id, long permits, long lifetimeSeconds) {}

  /**
   * Returns a receipt of a charge.
   *
   * @param policy the policy's name
   * @param limits the limits that were charged
   * @param key the key that was charged
   * @param permits the permits that were charged
   * @param decision the decision that charged them
   * @return printable ASCII characters that need no escaping anywhere
   */
  public String issue(
      String policy, List<Limit> limits, String key, long permits, Decision decision) {
    byte[] id = new byte[ID_BYTES];
    random.nextBytes(id);
    long seconds = decision.resetAfter().toSeconds() + 1;
    long now = clock.instant().getEpochSecond();
    byte[] body =
        ByteBuffer.allocate(BODY_BYTES)
            .put(VERSION)
            .put(id)
            .putLong(permits)
            .putLong(now)
            .putLong(now + Math.min(MAX_LIFETIME_SECONDS, seconds))
            .array();
    ByteBuffer whole =
        ByteBuffer.allocate(BODY_BYTES + MAC_BYTES)
            .put(body)
            .put(signature(body, policy, limits, key));
    return Base64.getUrlEncoder().withoutPadding().encodeToString(whole.array());
  }

  /**
   * Verifies a receipt.
   *
   * @param text what {@link #issue} returned
   * @param policy the policy's name
   * @param limits the limits that apply to the key now
   * @param key the key
   * @return the receipt; may have been used
   * @throws IllegalArgumentException if it is not a receipt for this key of this policy, or is too
   *     old
   */
  public Receipt verify(String text, String policy, List<Limit> limits, String key) {
    byte[] whole = decoded(text);
    byte[] body = new byte[BODY_BYTES];
    byte[] mac = new byte[MAC_BYTES];
    ByteBuffer.wrap(whole).get(body).get(mac);
    if (!MessageDigest.isEqual(mac, signature(body, policy, limits, key))) {
      throw new IllegalArgumentException(
          "receipt must be of this policy, key and window, and is not");
    }
    ByteBuffer fields = ByteBuffer.wrap(body, 1, BODY_BYTES - 1);
    byte[] id = new byte[ID_BYTES];
    fields.get(id);
    long permits = fields.getLong();
    long issued = fields.getLong();
    long expires = fields.getLong();
    if (clock.instant().getEpochSecond() > expires) {
      throw new IllegalArgumentException("receipt must not be older than the charge, is expired");
    }
    return new Receipt(
        Base64.getUrlEncoder().withoutPadding().encodeToString(id), permits, expires - issued);
  }

  private static byte[] decoded(String text) {
    int length = (BODY_BYTES + MAC_BYTES) * 4 / 3 + 1;
    byte[] whole = {};
    if (text.length() <= length) {
      try {
        whole = Base64.getUrlDecoder().decode(text);
      } catch (IllegalArgumentException e) {
        whole = new byte[0];
      }
    }
    if (whole.length != BODY_BYTES + MAC_BYTES || whole[0] != VERSION) {
      throw new IllegalArgumentException("receipt must be one that a check returned, and is not");
    }
    return whole;
  }

  /**
   * Marks a receipt as used.
   *
   * @param receipt a verified receipt
   * @return completes with false if it was used before, and exceptionally with a {@link
   *     StoreException} if the store is unavailable
   */
  public CompletionStage<Boolean> use(Receipt receipt) {
    Limit once = Limit.slidingLog(1, Duration.ofSeconds(2 * receipt.lifetimeSeconds));
    return used.withLimits(List.of(once))
        .tryAcquireAsync(receipt.id, 1)
        .thenApply(
            decision -> {
              if (decision.source() == Source.FAILURE_RULE) {
                throw new StoreException(
                    StoreException.Reason.UNAVAILABLE, "the store is unavailable", null);
              }
              return decision.allowed();
            });
  }

  private byte[] signature(byte[] body, String policy, List<Limit> limits, String key) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(secret);
      mac.update(body);
      update(mac, policy);
      for (Limit limit : limits) {
        // The permits may change: the charge stays where it is.
        update(mac, limit.algorithm() + "/" + limit.windowMicros() + "/" + limit.cells());
      }
      update(mac, key);
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JVM has " + ALGORITHM, e);
    }
  }

  /** With the length in front, so that no two sequences of texts are the same. */
  private static void update(Mac mac, String text) {
    byte[] bytes = text.getBytes(UTF_8);
    mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
    mac.update(bytes);
  }
}
