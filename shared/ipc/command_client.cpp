#include "shared/ipc/command_client.h"

#include <errno.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "shared/error.h"
#include "shared/ipc/mark_text.h"
#include "shared/ipc/run_folder.h"
#include "shared/monotonic_time.h"

namespace haptic {
namespace {

FoundSocket connect_to(const std::string& daemon_name, const char* what) {
  std::optional<LocalConnection> connection;
  std::string why;
  const auto answers = [&](const std::filesystem::path& path) {
    try {
      connection.emplace(path);
    } catch (const OperationError& error) {
      if (why.empty()) why = error.what();
    }
    return connection.has_value();
  };
  const std::filesystem::path path = find_run_file(daemon_name, what, answers);
  if (connection) return {std::move(*connection), path.parent_path()};
  if (why.empty()) why = "socket " + path.string() + ": does not exist";
  throw OperationError("no command can reach a hapticd under the name \"" + daemon_name + "\" (" +
                       why + ")");
}

/// One packet of the daemon's. @throws OperationError if it does not come
template <typename Packet>
Packet receive(const LocalConnection& socket, const std::string& daemon_name,
               std::int64_t give_up_ns) {
  Packet packet;
  for (;;) {
    switch (socket.receive(&packet, sizeof packet)) {
      case LocalConnection::Received::kPacket:
        return packet;
      case LocalConnection::Received::kOther:
        throw InputError("hapticd \"" + daemon_name + "\"", "", "uses another message layout",
                         "hapticd and haptic of one build");
      case LocalConnection::Received::kClosed:
        throw OperationError("hapticd \"" + daemon_name + "\" has closed the connection");
      case LocalConnection::Received::kNothing:
        break;
    }
    const std::int64_t left_ns = give_up_ns - monotonic_ns();
    if (left_ns <= 0 || !socket.wait(static_cast<int>(left_ns / 1'000'000) + 1)) {
      throw OperationError("hapticd \"" + daemon_name + "\" did not answer in time");
    }
  }
}

void name_client(Command& command) {
  const char* own = program_invocation_short_name;
  for (std::size_t i = 0; i + 1 < Command::kClientLength && own[i] != '\0'; ++i) {
    command.client[i] = own[i] > ' ' && own[i] <= '~' ? own[i] : '?';
  }
}

constexpr int kGreeting_ms = 2000;

}  // namespace

CommandClient::CommandClient(const std::string& daemon_name)
    : CommandClient(daemon_name, connect_to(daemon_name, "commands")) {}

CommandClient::CommandClient(const std::string& daemon_name, FoundSocket found)
    : daemon_name_(daemon_name),
      folder_(std::move(found.folder)),
      socket_(std::move(found.connection)) {
  const auto greeting = receive<CommandGreeting>(
      socket_, daemon_name, monotonic_ns() + std::int64_t{kGreeting_ms} * 1'000'000);
  if (greeting.magic != CommandGreeting::kMagic || greeting.layout_hash != kCommandLayoutHash) {
    throw InputError("hapticd \"" + daemon_name + "\"", "", "uses another message layout",
                     "hapticd and haptic of one build");
  }
  epoch_ = greeting.epoch;
}

CommandReply CommandClient::send(CommandKind kind, const std::string& key, double value,
                                 int timeout_ms) {
  Command command{};
  command.kind = kind;
  command.value = value;
  if (key.size() >= Command::kSubjectLength) {
    throw InputError("set", "", "found a key of " + std::to_string(key.size()) + " characters",
                     "at most " + std::to_string(Command::kSubjectLength - 1));
  }
  std::memcpy(command.subject, key.data(), key.size());
  if (!is_well_formed(command)) {
    throw InputError("set", key, "found an impossible key or value",
                     "a printable key and a finite number");
  }
  return exchange(command, timeout_ms);
}

CommandReply CommandClient::pull(const std::string& body, const PullRequest& request,
                                 int timeout_ms) {
  Command command{};
  command.kind = CommandKind::kPull;
  command.pull = request;
  if (body.size() >= Command::kSubjectLength) {
    throw InputError("pull", "",
                     "found a body's name of " + std::to_string(body.size()) + " characters",
                     "at most " + std::to_string(Command::kSubjectLength - 1));
  }
  std::memcpy(command.subject, body.data(), body.size());
  if (!is_well_formed(command)) {
    throw InputError("pull", body, "found an impossible name or number",
                     "a printable name, finite places, a stiffness and a force > 0");
  }
  return exchange(command, timeout_ms);
}

CommandReply CommandClient::load(const std::string& path, int timeout_ms) {
  Command command{};
  command.kind = CommandKind::kLoad;
  if (path.size() >= Command::kTextLength) {
    throw InputError("load", "", "found a path of " + std::to_string(path.size()) + " characters",
                     "at most " + std::to_string(Command::kTextLength - 1));
  }
  std::memcpy(command.text, path.data(), path.size());
  if (!is_well_formed(command)) {
    throw InputError("load", "", "found an impossible path",
                     "an absolute one without control characters");
  }
  return exchange(command, timeout_ms);
}

CommandReply CommandClient::mark(const std::string& text, int timeout_ms) {
  if (!is_mark_text(text)) {
    throw InputError(
        "mark", "",
        "found " + std::to_string(text.size()) + " bytes, or a character that is not printed",
        "1 to " + std::to_string(kMaxMarkLength) + " bytes of UTF-8 without control characters");
  }
  Command command{};
  command.kind = CommandKind::kMark;
  std::memcpy(command.text, text.data(), text.size());
  return exchange(command, timeout_ms);
}

CommandReply CommandClient::exchange(Command command, int timeout_ms) {
  name_client(command);
  command.deadline_ns = monotonic_ns() + std::int64_t{timeout_ms} * 1'000'000;
  command.epoch = command.kind == CommandKind::kEngage ? epoch_ : 0;
  if (!socket_.send(&command, sizeof command)) {
    throw OperationError("hapticd \"" + daemon_name_ + "\" has closed the connection");
  }
  CommandReply reply = receive<CommandReply>(socket_, daemon_name_, command.deadline_ns);
  reply.text[CommandReply::kTextLength - 1] = '\0';
  if (reply.epoch != 0) epoch_ = reply.epoch;
  return reply;
}

std::vector<DaemonStop> stop_daemons(const std::string& daemon_name, int timeout_ms) {
  const std::int64_t give_up_ns = monotonic_ns() + std::int64_t{timeout_ms} * 1'000'000;
  Command command{};
  command.kind = CommandKind::kStop;
  name_client(command);
  // Sent to all before the first answer is awaited: one may not answer.
  std::vector<std::pair<FoundSocket, bool>> sent;
  const auto stop = [&](FoundSocket found) {
    const bool taken = found.connection.send(&command, sizeof command);
    sent.emplace_back(std::move(found), taken);
  };
  if (geteuid() == 0) {
    visit_run_files(daemon_name, "stop", [&](const std::filesystem::path& path) {
      try {
        stop({LocalConnection(path), path.parent_path()});
      } catch (const OperationError&) {
        // The socket of a dead daemon, or none that can be trusted.
      }
    });
  }
  if (sent.empty()) stop(connect_to(daemon_name, "stop"));

  std::vector<DaemonStop> stops;
  for (const auto& [found, taken] : sent) {
    DaemonStop& result = stops.emplace_back(DaemonStop{found.folder});
    try {
      if (!taken) {
        throw OperationError("hapticd \"" + daemon_name + "\" has closed the connection");
      }
      result.reply = receive<CommandReply>(found.connection, daemon_name, give_up_ns);
      result.reply.text[CommandReply::kTextLength - 1] = '\0';
    } catch (const std::exception& error) {
      result.failure = error.what();
    }
  }
  return stops;
}

CommandReply stop_daemon(const std::string& daemon_name, int timeout_ms) {
  const std::vector<DaemonStop> stops = stop_daemons(daemon_name, timeout_ms);
  for (const DaemonStop& stop : stops) {
    if (!stop.failure.empty()) throw OperationError(stop.failure);
  }
  for (const DaemonStop& stop : stops) {
    if (stop.reply.answer != CommandAnswer::kApplied) return stop.reply;
  }
  return stops.front().reply;
}

}  // namespace haptic
