package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;

/** An nginx that passes on all header fields of the client, as it does unless told otherwise. */
class NginxPassingAllFieldsIT extends NginxIT {
  private static final String PASS_NOTHING = "proxy_pass_request_headers off;";

  @Override
  String block(int sashPort, int applicationPort, int port) throws IOException {
    String block = super.block(sashPort, applicationPort, port);
    assertThat(block).contains(PASS_NOTHING);
    return block.replace(PASS_NOTHING, "");
  }
}
