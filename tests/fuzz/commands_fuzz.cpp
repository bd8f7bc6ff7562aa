// The command socket with clients that send arbitrary packets, in any order over several
// connections: every turn ends, every request to the daemon is well formed, each connection has at
// most one pending command, and a correct client is still served.
//
// Input: steps of [what][bytes...]: bits 0-1 of `what` are the connection, bits 2-3 what it does
// (send a packet of as many bytes as follow up to the next step's length, send a whole Command,
// hang up, let the daemon take a turn); the length is the next byte for the first two.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "shared/ipc/command_server.h"
#include "shared/ipc/mark_text.h"
#include "shared/ipc/run_folder.h"
#include "tests/fuzz/fuzz_target.h"

namespace haptic {
namespace {

constexpr std::size_t kClients = 4;

void check(const Command& command) {
  demand(is_well_formed(command), "a request is well formed");
  demand(std::isfinite(command.value), "a value is finite");
  demand(std::memchr(command.subject, 0, sizeof command.subject) != nullptr, "a subject ends");
  demand(command.kind == CommandKind::kPull ||
             (command.kind == CommandKind::kSet) == (command.subject[0] != 0),
         "a key belongs to set or pull");
  demand(std::isfinite(command.pull.stiffness) && std::isfinite(command.pull.target[2]),
         "a pull is finite");
  demand(std::memchr(command.text, 0, sizeof command.text) != nullptr, "a text ends");
  const bool marks = command.kind == CommandKind::kMark;
  demand(marks || (command.kind == CommandKind::kLoad) == (command.text[0] == '/'),
         "a path belongs to load");
  demand(!marks || is_mark_text(command.text), "a mark has a text of one line");
  demand(std::memchr(command.client, 0, sizeof command.client) != nullptr, "a name ends");
}

/// A turn of the daemon: half of what comes is answered at once, the rest in the next turn.
void take_turn(CommandServer& server, std::vector<CommandServer::Request>& open) {
  const CommandReply reply{
      CommandAnswer::kApplied, ServoState::kIdle, FaultKind::kNone, 0, 0.0, 0.0};
  for (const CommandServer::Request& request : open) server.answer(request, reply);
  open.clear();
  server.begin_turn();
  std::size_t served = 0;
  while (const auto request = server.poll()) {
    check(request->command);
    demand(++served <= CommandServer::kMaxConnections, "a turn ends");
    for (const CommandServer::Request& other : open) {
      demand(other.connection != request->connection,
             "a connection has at most one pending command");
    }
    if (served % 2 == 0) {
      server.answer(*request, reply);
    } else {
      open.push_back(*request);
    }
  }
}

void expect_service(CommandServer& server, const std::filesystem::path& path) {
  const LocalConnection client(path);
  Command command{};
  command.kind = CommandKind::kReset;
  demand(client.send(&command, sizeof command), "a packet goes out");
  server.begin_turn();
  std::optional<CommandServer::Request> found;
  while (const auto request = server.poll()) {
    if (request->command.kind == CommandKind::kReset && request->from.pid == getpid()) {
      found = *request;
    }
  }
  demand(found.has_value(), "a correct client is served");
}

}  // namespace
}  // namespace haptic

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haptic;
  static const std::string name = "fuzz-" + std::to_string(getpid());
  static const std::filesystem::path path = own_run_file(name, "commands");
  CommandServer server(name, 42);
  std::array<std::optional<LocalConnection>, kClients> clients;
  std::vector<CommandServer::Request> open;
  for (std::size_t at = 0; at < size;) {
    const std::uint8_t what = data[at++];
    auto& client = clients[what & 3];
    const int step = what >> 2 & 3;
    if (step == 3) {
      take_turn(server, open);
      continue;
    }
    if (step == 2) {
      client.reset();
      continue;
    }
    if (at == size) break;
    const std::size_t asked = data[at++];
    const std::size_t length = std::min(asked, size - at);
    if (!client) client.emplace(path);
    if (step == 1) {
      Command command{};
      std::memcpy(static_cast<void*>(&command), data + at, std::min(length, sizeof command));
      static_cast<void>(client->send(&command, sizeof command));
    } else if (length > 0) {
      static_cast<void>(client->send(data + at, length));
    }
    at += length;
  }
  take_turn(server, open);
  expect_service(server, path);
  return 0;
}
