package dev.sash.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class UnknownVariablesTest {
  @Test
  void saysWhatIsProbablyAMistake() {
    assertThat(Serve.unknownVariables(Set.of("SASH_PROT", "SASH_PORT", "SASH_ADMIN_TOKEN", "PATH")))
        .containsExactly("Variable SASH_PROT is unknown and ignored; did you mean 'SASH_PORT'?");
  }

  @Test
  void saysNothingAboutWhatKubernetesSets() {
    assertThat(Serve.unknownVariables(Set.of("SASH_SERVICE_HOST", "SASH_PORT_8080_TCP_ADDR")))
        .isEmpty();
  }
}
