#include "rt/hapticd/stop_listener.h"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "shared/error.h"
#include "shared/ipc/run_folder.h"
#include "shared/journal/message.h"

namespace haptic {
namespace {

constexpr int kPriority = 1;  // SCHED_FIFO: above every ordinary thread, below the loops
constexpr std::chrono::milliseconds kTurn{1};
constexpr std::chrono::milliseconds kNameCheck{1000};  // between two checks of the socket's name
constexpr int kLoopPatience = 2000;                    // looks at the loop's answer, 0.1 ms apart
constexpr std::chrono::microseconds kLook{100};

}  // namespace

StopListener::StopListener(const std::string& daemon_name, CommandChannel& channel)
    : listener_(own_run_file(daemon_name, "stop"), "haptic-operator"),
      end_of_wait_(eventfd(0, EFD_CLOEXEC)),
      channel_(channel) {
  if (end_of_wait_.get() < 0) {
    throw OperationError(fmt::format("no event descriptor ({})", std::strerror(errno)));
  }
  connections_.reserve(kMaxConnections + 1);
  asked_.reserve(kMaxConnections);
  thread_ = std::jthread([this] { run(); });
}

StopListener::~StopListener() {
  end_ = true;
  const std::uint64_t one = 1;
  // Cannot fail: this is the only writer, so the counter cannot overflow.
  static_cast<void>(!write(end_of_wait_.get(), &one, sizeof one));
}

std::optional<StopListener::Stop> StopListener::next() {
  const std::uint64_t at = read_.load(std::memory_order_relaxed);
  if (at == written_.load(std::memory_order_acquire)) return std::nullopt;
  const Stop stop = stops_[at % kRemembered];
  read_.store(at + 1, std::memory_order_release);
  return stop;
}

void StopListener::remember(const Stop& stop) {
  const std::uint64_t at = written_.load(std::memory_order_relaxed);
  if (at - read_.load(std::memory_order_acquire) >= kRemembered) return;
  stops_[at % kRemembered] = stop;
  written_.store(at + 1, std::memory_order_release);
}

void StopListener::run() {
  sched_param parameters{};
  parameters.sched_priority = kPriority;
  // Refused to an ordinary user: the thread then has ordinary priority.
  static_cast<void>(pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters));
  auto checked = std::chrono::steady_clock::now();
  while (!end_.load(std::memory_order_relaxed)) {
    wait();
    if (const auto now = std::chrono::steady_clock::now(); now - checked >= kNameCheck) {
      checked = now;
      keep_name();
    }
    accept_all();
    hear();
    if (!asked_.empty()) serve();
    std::this_thread::sleep_for(kTurn);
  }
}

void StopListener::keep_name() {
  try {
    if (listener_.keep_name()) {
      message::say(Priority::kWarning,
                   "the socket for stops was removed or closed; it was made again");
    }
    is_reachable_.store(true, std::memory_order_relaxed);
  } catch (const std::exception& error) {
    message::say(Priority::kError, "{}", error.what());
    is_reachable_.store(false, std::memory_order_relaxed);
  }
}

void StopListener::wait() const {
  std::array<pollfd, kMaxConnections + 2> sources{};
  std::size_t count = 0;
  sources[count++] = {end_of_wait_.get(), POLLIN, 0};
  sources[count++] = {listener_.descriptor(), POLLIN, 0};
  for (const Connection& connection : connections_) {
    sources[count++] = {connection.socket.descriptor(), POLLIN | POLLRDHUP, 0};
  }
  poll(sources.data(), count, static_cast<int>(kNameCheck.count()));
}

void StopListener::accept_all() {
  for (std::size_t i = 0; i < kMaxConnections; ++i) {
    const int descriptor = listener_.accept();
    if (descriptor < 0 && lacks_descriptors() && !connections_.empty()) {
      connections_.erase(connections_.begin());
      continue;
    }
    if (descriptor < 0) return;
    LocalConnection socket(descriptor);
    const Peer peer = socket.peer();
    // The oldest connection has had the longest time to send its command; it is closed.
    if (connections_.size() >= kMaxConnections) connections_.erase(connections_.begin());
    connections_.push_back({std::move(socket), peer});
  }
}

void StopListener::hear() {
  asked_.clear();
  std::erase_if(connections_, [](const Connection& c) {
    // A connection that was closed after it sent data is kept: its data is read below.
    pollfd source{c.socket.descriptor(), POLLIN | POLLRDHUP, 0};
    return poll(&source, 1, 0) > 0 && (source.revents & POLLIN) == 0;
  });
  for (std::size_t i = 0; i < connections_.size();) {
    Command command;
    const auto received = connections_[i].socket.receive(&command, sizeof command);
    if (received == LocalConnection::Received::kPacket && is_well_formed(command) &&
        command.kind == CommandKind::kStop) {
      asked_.push_back({i, command});
    } else if (received != LocalConnection::Received::kNothing) {
      connections_.erase(connections_.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    ++i;
  }
}

void StopListener::serve() {
  const std::uint64_t ticket = channel_.request_stop();
  bool served = false;
  for (int look = 0; look < kLoopPatience && !served && !end_; ++look) {
    std::this_thread::sleep_for(kLook);
    served = channel_.stop_served(ticket);
  }
  CommandReply reply = channel_.stop_reply();
  if (!served) {  // the loop hangs, or has ended
    reply.answer = CommandAnswer::kPending;
    reply.executed = 0;
  }
  for (const Asked& asked : asked_) {
    const Connection& connection = connections_[asked.connection];
    static_cast<void>(connection.socket.send(&reply, sizeof reply));
    remember({connection.peer, asked.command, reply});
  }
}

}  // namespace haptic
