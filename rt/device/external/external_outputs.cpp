#include "rt/device/external/external_outputs.h"

#include <signal.h>
#include <sys/socket.h>

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

bool ExternalOutputs::is_of_daemon(const haptic_link& link) const {
  ucred peer{};
  socklen_t size = sizeof peer;
  return daemon_ == 0 || (getsockopt(link.socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
                          peer.pid == daemon_);
}

void ExternalOutputs::drop() {
  haptic_link_close(&link_);
  linked_ = false;
}

std::string ExternalOutputs::connect() {
  haptic_link fresh{};
  if (haptic_link_open_as(&fresh, settings_.link.c_str(), HAPTIC_LINK_GUARD, kPatience_ms) != 0) {
    return fresh.problem;
  }
  if (!is_of_daemon(fresh)) {  // what is written there reaches the adapter of another daemon
    haptic_link_close(&fresh);
    errno = EPERM;
    return "link \"" + settings_.link + "\": belongs to another process than the daemon";
  }
  drop();
  link_ = fresh;
  linked_ = true;
  return {};
}

std::string ExternalOutputs::obstacle(pid_t daemon) {
  daemon_ = daemon;
  if (linked_ && !is_of_daemon(link_)) drop();
  if (linked_ && !haptic_link_is_lost(&link_)) return {};
  // The memory of a daemon that has just ended is kept: its adapter still reads it.
  return connect();
}

bool ExternalOutputs::make_safe() {
  const std::string title = "link \"" + settings_.link + "\": ";
  if (!linked_) {
    found_ = connect();
    if (!linked_) {
      const bool no_daemon = errno == ENOENT && daemon_ == 0;
      if (no_daemon) found_ = title + "no daemon has it";
      return no_daemon;
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
  if (connected && !gone) {
    found_ = title + "adapter " + std::to_string(pid) + " has not confirmed a zero force";
    return false;
  }
  const bool driven = __atomic_load_n(&m.driven, __ATOMIC_ACQUIRE) != 0;
  found_ = title + (driven ? "the adapter has ended and has not confirmed a zero force"
                           : "no force was ever demanded of its adapter");
  return !driven;
}

}  // namespace haptic
