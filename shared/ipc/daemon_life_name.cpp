#include "shared/ipc/daemon_life_name.h"

namespace haptic {

const char* name(DaemonLife life) {
  switch (life) {
    case DaemonLife::kAlive:
      return "alive";
    case DaemonLife::kClosed:
      return "closed";
    case DaemonLife::kDead:
      return "dead";
    case DaemonLife::kRestarted:
      return "restarted";
    case DaemonLife::kReplaced:
      return "replaced";
  }
  return "unknown";
}

}  // namespace haptic
