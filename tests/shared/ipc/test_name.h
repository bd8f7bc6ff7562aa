#pragma once

#include <unistd.h>

#include <string>

namespace haptic {

/// A daemon name of this process' own, so that tests run beside each other and beside daemons.
inline std::string test_name(const std::string& what) {
  return "test-" + what + "-" + std::to_string(getpid());
}

}  // namespace haptic
