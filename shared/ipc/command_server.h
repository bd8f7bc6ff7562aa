#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>

#include "shared/ipc/command.h"
#include "shared/ipc/local_socket.h"

namespace haptic {

/// The daemon's end of NAME.commands, for its supervisor thread (never the loop).
///
/// A connection has one command under way at a time and is not read before that is answered, and
/// each is read once in a turn: a client that floods waits for itself alone. A client that closes
/// its end withdraws its command. Where there are too many connections, the one that has been quiet
/// the longest among those of the user with the most is closed.
class CommandServer {
 public:
  static constexpr std::size_t kMostConnections = 64;

  /// @throws OperationError if the socket cannot be had
  CommandServer(const std::string& daemon_name, std::uint64_t instance);
  CommandServer(const CommandServer&) = delete;
  CommandServer& operator=(const CommandServer&) = delete;

  /// A command that is well formed, and whose it is.
  struct Request {
    std::uint64_t connection = 0;
    Peer from;
    Command command{};
  };

  /// Greeted with from here on (CommandGreeting::epoch).
  void set_epoch(std::uint64_t epoch) { epoch_ = epoch; }
  /// Accepts who waits; every connection may be read once more.
  void begin_turn();
  /// The next command. @returns nothing once every connection that has something to say was read
  /// since begin_turn(), so that a turn ends
  std::optional<Request> poll();
  /// To whoever asked, if they are still there; their next command may come then.
  void answer(const Request& request, const CommandReply& reply);
  /// Whether they still wait for the answer.
  bool waits(const Request& request) const;
  /// Sleeps until a client connects, sends or leaves, `other` is readable, or the time is over.
  void wait(int other, std::int64_t timeout_ns) const;

  std::uint64_t garbage() const { return garbage_; }  ///< packets with impossible content
  std::size_t connections() const { return connections_.size(); }

 private:
  struct Connection {
    LocalConnection socket;
    std::uint64_t number;
    Peer peer;
    bool busy = false;  ///< its command is not answered yet
    bool read = false;  ///< in this turn
    std::uint64_t spoke = 0;
  };

  void accept_all();
  void make_room();
  Connection* find(std::uint64_t number);

  LocalListener listener_;
  std::uint64_t instance_;
  std::uint64_t epoch_ = 1;
  std::list<Connection> connections_;
  std::uint64_t next_number_ = 1;
  std::uint64_t turns_ = 0;
  std::uint64_t garbage_ = 0;
};

}  // namespace haptic
