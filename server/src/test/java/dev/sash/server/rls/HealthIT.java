package dev.sash.server.rls;

import static dev.sash.server.rls.domain.EnvoyFiles.shop;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** gRPC's own stub for health. */
@Timeout(60)
class HealthIT {
  private static final String RLS = "envoy.service.ratelimit.v3.RateLimitService";

  private RlsServer server;

  @BeforeEach
  void start() {
    server = new RlsServer(shop());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static HealthCheckRequest of(String service) {
    return HealthCheckRequest.newBuilder().setService(service).build();
  }

  private ServingStatus check(String service) {
    return HealthGrpc.newBlockingStub(server.channel).check(of(service)).getStatus();
  }

  /** What a watch has heard: states, and at the end a failure. */
  private static final class Heard implements StreamObserver<HealthCheckResponse> {
    final BlockingQueue<Object> all = new LinkedBlockingQueue<>();

    @Override
    public void onNext(HealthCheckResponse response) {
      all.add(response.getStatus());
    }

    @Override
    public void onError(Throwable failure) {
      all.add(failure.getMessage());
    }

    @Override
    public void onCompleted() {
      all.add("completed");
    }

    Object next() throws InterruptedException {
      return all.poll(30, TimeUnit.SECONDS);
    }
  }

  private Heard watch(String service) {
    Heard heard = new Heard();
    HealthGrpc.newStub(server.channel).watch(of(service), heard);
    return heard;
  }

  @Test
  void isServingUntilItIsDrained() {
    assertThat(check("")).isEqualTo(ServingStatus.SERVING);
    assertThat(check(RLS)).isEqualTo(ServingStatus.SERVING);
    assertThatThrownBy(() -> check("other")).hasMessageStartingWith("NOT_FOUND");

    server.grpc.drain();

    assertThat(check("")).isEqualTo(ServingStatus.NOT_SERVING);
    assertThat(check(RLS)).isEqualTo(ServingStatus.NOT_SERVING);
  }

  @RepeatedTest(5)
  void watchersHearOfIt() throws InterruptedException {
    Heard whole = watch("");
    Heard rls = watch(RLS);
    assertThat(whole.next()).isEqualTo(ServingStatus.SERVING);
    assertThat(rls.next()).isEqualTo(ServingStatus.SERVING);

    server.grpc.drain();
    server.grpc.drain();

    assertThat(whole.next()).isEqualTo(ServingStatus.NOT_SERVING);
    assertThat(rls.next()).isEqualTo(ServingStatus.NOT_SERVING);
    assertThat(watch("").next()).as("those that come later").isEqualTo(ServingStatus.NOT_SERVING);

    server.grpc.close();

    assertThat((String) whole.next()).startsWith("UNAVAILABLE");
    assertThat((String) rls.next()).startsWith("UNAVAILABLE");
  }

  @Test
  void aServiceThatIsNotThereIsWatchedInVain() throws InterruptedException {
    assertThat(watch("other").next()).isEqualTo(ServingStatus.SERVICE_UNKNOWN);
  }
}
