#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "rt/device/external/external_device.h"
#include "rt/device/external/external_settings.h"
#include "rt/device/external/link_memory.h"
#include "shared/ipc/local_socket.h"
#include "shared/journal/message.h"

namespace haptic {

/// Hands the memory of a link to its adapter and to guards, in an ordinary thread, and watches the
/// adapter's connection, which the kernel closes when the adapter ends.
///
/// One adapter at a time. It must run as the daemon's user, as root or as the manifest's
/// `adapter_user`, as the kernel reports; a guard as the daemon's user or as root. A process of
/// another user is refused as soon as it connects and takes no place of theirs.
class LinkServer {
 public:
  /// Listens on device.LINK.link of the run folder. The arguments outlive the server.
  /// @throws OperationError if the socket cannot be had, InputError for an unknown adapter_user
  LinkServer(const ExternalSettings& settings, LinkMemory& memory, LinkState& state);
  LinkServer(const LinkServer&) = delete;
  LinkServer& operator=(const LinkServer&) = delete;
  ~LinkServer();

 private:
  using Time = std::chrono::steady_clock::time_point;
  /// A connection that has not said hello yet.
  struct Pending {
    LocalConnection connection;
    Time since;
  };
  /// The connected adapter.
  struct Adapter {
    LocalConnection connection;
    Peer peer;
    int process;  ///< pidfd, or -1
  };

  void run();
  void wait();
  void accept();
  void hear_pending();
  void make_room();
  bool is_own(const Peer& peer) const;
  void refuse(const LocalConnection& connection, const std::string& why);
  /// @returns why the peer is refused, or nothing
  std::string refusal_reason(const haptic_link_hello& hello, const Peer& peer) const;
  void admit(LocalConnection connection, const haptic_link_hello& hello);
  void watch_members();
  void watch_adapter();
  void drop_adapter(const char* why);
  void end_hung();
  void tell_findings();
  void tell_guard_zero();

  const ExternalSettings& settings_;
  LinkMemory& memory_;
  LinkState& state_;
  std::optional<uid_t> adapter_user_;
  LocalListener listener_;
  int stop_;  ///< eventfd
  std::uint64_t instances_;
  std::vector<Pending> pending_;
  std::vector<LocalConnection> guards_;
  std::optional<Adapter> adapter_;
  std::vector<pollfd> sources_;  ///< of wait()
  std::uint64_t told_refused_ = 0;
  bool told_hung_ = false, told_guard_zero_ = false;
  Time next_tell_{};
  message::OncePerSecond told_refusals_;
  std::thread thread_;
};

}  // namespace haptic
