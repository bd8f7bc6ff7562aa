#include "host/window/mouse_pull.h"

namespace haptic {

void MousePull::pull(const std::string& body, const PullRequest& request) {
  pulling_ = true;
  post(body, request);
}

void MousePull::let_go() {
  if (!pulling_) return;
  pulling_ = false;
  post({}, {});
}

void MousePull::post(const std::string& body, const PullRequest& request) {
  thread_.post([body, request](CommandClient& daemon) {
    return refusal_of("pull", daemon.pull(body, request));
  });
}

}  // namespace haptic
