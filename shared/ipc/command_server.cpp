#include "shared/ipc/command_server.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <map>
#include <utility>

#include "shared/ipc/run_folder.h"

namespace haptic {

CommandServer::CommandServer(const std::string& daemon_name, std::uint64_t instance)
    : listener_(own_run_file(daemon_name, "commands"), "haptic-operator"), instance_(instance) {}

void CommandServer::begin_turn() {
  ++turns_;
  for (Connection& connection : connections_) connection.read = false;
  accept_all();  // here and not in poll(): who connects meanwhile must not prolong the turn
}

void CommandServer::accept_all() {
  // Bounded: a client that connects again and again can occupy this thread for one turn only.
  for (std::size_t i = 0; i < kMaxConnections; ++i) {
    const int descriptor = listener_.accept();
    // Without a descriptor left, whoever waits would wake this thread for ever.
    if (descriptor < 0 && lacks_descriptors() && !connections_.empty()) {
      make_room();
      continue;
    }
    if (descriptor < 0) return;
    LocalConnection socket(descriptor);
    const CommandGreeting greeting{CommandGreeting::kMagic, kCommandLayoutHash, instance_, epoch_};
    if (!socket.send(&greeting, sizeof greeting)) continue;
    if (connections_.size() >= kMaxConnections) make_room();
    const Peer peer = socket.peer();
    connections_.push_back({std::move(socket), next_number_++, peer, false, false, turns_});
  }
}

void CommandServer::make_room() {
  std::map<uid_t, std::size_t> count;
  for (const Connection& connection : connections_) ++count[connection.peer.uid];
  const auto most = std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) {
                      return a.second < b.second;
                    })->first;
  auto oldest = connections_.end();
  for (auto at = connections_.begin(); at != connections_.end(); ++at) {
    if (at->peer.uid != most) continue;
    // One that waits for an answer is closed only if all do.
    const auto rank = [](const Connection& c) { return std::pair(c.busy, c.spoke); };
    if (oldest == connections_.end() || rank(*at) < rank(*oldest)) oldest = at;
  }
  connections_.erase(oldest);
}

std::optional<CommandServer::Request> CommandServer::poll() {
  for (auto at = connections_.begin(); at != connections_.end();) {
    Connection& connection = *at;
    if (connection.socket.hung_up()) {
      at = connections_.erase(at);
      continue;
    }
    ++at;
    if (connection.busy || connection.read) continue;
    Request request{connection.number, connection.peer, {}};
    switch (connection.socket.receive(&request.command, sizeof request.command)) {
      case LocalConnection::Received::kNothing:
        continue;
      case LocalConnection::Received::kClosed:
        connections_.erase(std::prev(at));
        continue;
      case LocalConnection::Received::kPacket:
        connection.read = true;
        connection.spoke = turns_;
        if (is_well_formed(request.command)) {
          connection.busy = true;
          return request;
        }
        break;
      case LocalConnection::Received::kOther:
        connection.read = true;
        connection.spoke = turns_;
        break;
    }
    ++garbage_;
    connection.busy = true;
    answer(request,
           {CommandAnswer::kMalformed, ServoState::kStarting, FaultKind::kNone, 0, 0.0, 0.0});
  }
  return std::nullopt;
}

CommandServer::Connection* CommandServer::find(std::uint64_t number) {
  for (Connection& connection : connections_) {
    if (connection.number == number) return &connection;
  }
  return nullptr;
}

void CommandServer::answer(const Request& request, const CommandReply& reply) {
  Connection* const connection = find(request.connection);
  if (connection == nullptr || !connection->busy) return;
  connection->busy = false;
  // A client that does not read its answers is disconnected: it could not match later answers to
  // commands.
  if (connection->socket.send(&reply, sizeof reply)) return;
  connections_.remove_if([&](const Connection& c) { return &c == connection; });
}

bool CommandServer::waits(const Request& request) const {
  for (const Connection& connection : connections_) {
    if (connection.number == request.connection) return !connection.socket.hung_up();
  }
  return false;
}

void CommandServer::wait(int other, std::int64_t timeout_ns) const {
  std::array<pollfd, kMaxConnections + 2> sources{};
  std::size_t count = 0;
  sources[count++] = {other, POLLIN, 0};
  sources[count++] = {listener_.descriptor(), POLLIN, 0};
  for (const Connection& connection : connections_) {
    // For a connection with a pending command only its end matters.
    const short events = connection.busy ? POLLRDHUP : POLLIN | POLLRDHUP;
    if (count < sources.size()) sources[count++] = {connection.socket.descriptor(), events, 0};
  }
  const timespec timeout{static_cast<time_t>(timeout_ns / 1'000'000'000),
                         static_cast<long>(timeout_ns % 1'000'000'000)};
  ppoll(sources.data(), count, &timeout, nullptr);
}

}  // namespace haptic
