#pragma once

#include <unistd.h>

#include <string>

namespace haptic {

/// A daemon name unique to this process, so that tests run in parallel with each other and with
/// daemons.
inline std::string test_name(const std::string& what) {
  return "test-" + what + "-" + std::to_string(getpid());
}

}  // namespace haptic
