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
/// A connection has one pending command at a time and is not read before that is answered; each
/// connection is read once in a turn. So a client that floods delays only its own commands. A
/// client that closes its end withdraws its command. If there are too many connections, one of the
/// user with the most is closed: the one that has been quiet the longest, and one that waits for an
/// answer only if all do.
class CommandServer {
 public:
  static constexpr std::size_t kMaxConnections = 64;

  /// @throws OperationError if the socket cannot be had
  CommandServer(const std::string& daemon_name, std::uint64_t instance);
  CommandServer(const CommandServer&) = delete;
  CommandServer& operator=(const CommandServer&) = delete;

  /// A well-formed command and the client that sent it.
  struct Request {
    std::uint64_t connection = 0;
    Peer from;
    Command command{};
  };

  /// As LocalListener::keep_name.
  bool keep_name() { return listener_.keep_name(); }
  /// Sets the epoch of later greetings (CommandGreeting::epoch).
  void set_epoch(std::uint64_t epoch) { epoch_ = epoch; }
  /// Accepts waiting clients; every connection may be read once more.
  void begin_turn();
  /// The next command. @returns nothing once every connection with data was read since
  /// begin_turn(), so that a turn ends
  std::optional<Request> poll();
  /// Answers the client if it is still connected, and accepts its next command.
  void answer(const Request& request, const CommandReply& reply);
  /// Whether the client still waits for the answer.
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
