#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "shared/ipc/command.h"
#include "shared/ipc/local_socket.h"

namespace haptic {

/// A connection to a daemon, and its run folder.
struct FoundSocket {
  LocalConnection connection;
  std::filesystem::path folder;
};

/// The client of a daemon's command socket. Pending commands are dropped with it.
class CommandClient {
 public:
  /// Connects and takes the daemon's greeting.
  /// @throws OperationError if no daemon of that name runs or it may not be commanded,
  ///         InputError if it is of another build
  explicit CommandClient(const std::string& daemon_name);

  /// The run folder of the daemon.
  const std::filesystem::path& folder() const { return folder_; }

  /// Sends one command and waits for its answer. An engage is valid only for the epoch of the
  /// daemon's greeting or of its last answer.
  /// @param key parameter of kSet, else empty @throws InputError if the key does not fit its field
  /// @param timeout_ms also the command's deadline: the daemon does not execute it later
  /// @throws OperationError if the daemon exits or does not answer within `timeout_ms`
  CommandReply send(CommandKind kind, const std::string& key = {}, double value = 0.0,
                    int timeout_ms = 2000);
  /// Pulls a point of a body, or lets it go. @param body empty: lets go
  /// @throws InputError if the body's name does not fit its field
  CommandReply pull(const std::string& body, const PullRequest& request, int timeout_ms = 2000);
  /// Asks for another scene and waits until it runs or is refused.
  /// @param path absolute, as the daemon sees it @throws InputError if it does not fit its field
  CommandReply load(const std::string& path, int timeout_ms);
  /// Notes a text in the daemon's events. @throws InputError unless is_mark_text(text)
  CommandReply mark(const std::string& text, int timeout_ms = 2000);

 private:
  CommandReply exchange(Command command, int timeout_ms);

  CommandClient(const std::string& daemon_name, FoundSocket found);

  std::string daemon_name_;
  std::filesystem::path folder_;
  LocalConnection socket_;
  std::uint64_t epoch_ = 0;
};

/// The answer of one daemon to a stop.
struct DaemonStop {
  std::filesystem::path folder;  ///< run folder of the daemon
  CommandReply reply{};
  std::string failure{};  ///< why there is no reply; else empty
};

/// Stops a daemon's output through a separate socket without a queue (NAME.stop); any operator may.
/// For root it stops every daemon of that name, whoever's: root may not know whose hand is meant.
/// @returns at least one @throws OperationError if no daemon of that name runs or it may not be
///          commanded
std::vector<DaemonStop> stop_daemons(const std::string& daemon_name, int timeout_ms = 2000);
/// The same. @returns the first reply that is not kApplied, if any
/// @throws OperationError also if one of them does not answer
CommandReply stop_daemon(const std::string& daemon_name, int timeout_ms = 2000);

}  // namespace haptic
