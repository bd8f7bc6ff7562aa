#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "rt/servo/command_channel.h"
#include "shared/ipc/command.h"
#include "shared/ipc/local_socket.h"
#include "shared/memory/file_descriptor.h"

namespace haptic {

/// Receives `stop` on a separate socket (NAME.stop) in a separate thread, independent of the
/// supervisor and its queue. The thread has real-time priority if the kernel allows it, below the
/// loops. It runs once a millisecond at most, so that a flood of stops does not slow down the
/// machine. Once a second it checks that the name of the socket still refers to it, and makes the
/// socket again if not.
class StopListener {
 public:
  /// Which client stopped the daemon, and the result.
  struct Stop {
    Peer from;
    Command command{};
    CommandReply reply{};
  };

  /// @param channel outlives this @throws OperationError if the socket cannot be had
  StopListener(const std::string& daemon_name, CommandChannel& channel);
  StopListener(const StopListener&) = delete;
  StopListener& operator=(const StopListener&) = delete;
  ~StopListener();

  /// For the supervisor, which writes the events. @returns the next stop, oldest first; in a flood
  /// some are left out
  std::optional<Stop> next();
  /// False if the socket's name was removed and the socket cannot be made again: no stop arrives.
  bool is_reachable() const { return is_reachable_.load(std::memory_order_relaxed); }

 private:
  struct Connection {
    LocalConnection socket;
    Peer peer;
  };

  void run();
  void wait() const;
  void accept_all();
  void hear();
  void serve();
  void remember(const Stop& stop);
  void keep_name();

  static constexpr std::size_t kMaxConnections = 64;
  static constexpr std::size_t kRemembered = 64;

  LocalListener listener_;
  FileDescriptor end_of_wait_;  // readable when the thread is to end
  CommandChannel& channel_;
  std::vector<Connection> connections_;  // oldest first
  struct Asked {
    std::size_t connection;
    Command command;
  };
  std::vector<Asked> asked_;  // in this turn
  std::array<Stop, kRemembered> stops_{};
  std::atomic<std::uint64_t> written_{0}, read_{0};  // one writer, one reader
  std::atomic<bool> end_{false}, is_reachable_{true};
  std::jthread thread_;  // last: it uses the members above
};

}  // namespace haptic
