#include "rt/device/external/external_outputs.h"

#include <signal.h>

#include <cerrno>
#include <string>

#include "shared/ipc/external_link_open.h"

namespace haptic {
namespace {

// A daemon that runs answers within its thread's turn of 5 ms; one that is stopped never does.
constexpr int kPatience_ms = 50;

}  // namespace

ExternalOutputs::ExternalOutputs(const DeviceManifest& manifest)
    : settings_(read_external(manifest)),
      found_("link \"" + settings_.link + "\": not looked at yet") {
  link_.socket = -1;
}

ExternalOutputs::~ExternalOutputs() {
  haptic_link_close(&link_);
}

void ExternalOutputs::prepare() {
  if (linked_ && !haptic_link_is_lost(&link_)) return;
  haptic_link_close(&link_);
  linked_ =
      haptic_link_open_as(&link_, settings_.link.c_str(), HAPTIC_LINK_GUARD, kPatience_ms) == 0;
}

bool ExternalOutputs::make_safe() {
  const std::string title = "link \"" + settings_.link + "\": ";
  if (!linked_) {
    prepare();
    if (!linked_ && (errno == ENOENT || errno == ECONNREFUSED)) {
      found_ = title + "no daemon feeds it, an adapter applies zero by itself";
      return true;
    }
    if (!linked_) {
      found_ = link_.problem;
      return false;
    }
  }
  haptic_link_memory& m = *link_.memory;
  // First the demand, then the look at the adapter's mark: one of the two sees the other.
  __atomic_store_n(&m.guard_zero, 1, __ATOMIC_SEQ_CST);
  const std::int64_t zero_since = __atomic_load_n(&m.zero_since_ns, __ATOMIC_SEQ_CST);
  const std::int64_t pid = __atomic_load_n(&m.adapter_pid, __ATOMIC_ACQUIRE);
  if (zero_since != 0) {
    found_ = title + "adapter has applied zero";
    return true;
  }
  const bool connected = __atomic_load_n(&m.instance, __ATOMIC_ACQUIRE) != 0;
  const bool gone = pid > 0 && kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
  if (!connected || gone) {
    found_ = title + "no adapter runs; the device is without its program";
    return true;
  }
  found_ = title + "adapter " + std::to_string(pid) + " has not confirmed a zero force";
  return false;
}

}  // namespace haptic
