#include "rt/device/external/link_server.h"

#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "shared/error.h"
#include "shared/ipc/run_folder.h"
#include "shared/journal/message.h"
#include "shared/monotonic_time.h"

namespace haptic {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMaxPending = 8;
constexpr std::size_t kMaxAccepted = 64;  // in a turn
constexpr const char* kMayNot = " may not, see the manifest's adapter_user";
constexpr std::size_t kMaxGuards = 4;
constexpr auto kHelloPatience = 1s;
constexpr int kTurn_ms = 5;  // as long as the supervisor's

// The group may connect; the kernel's report of the peer's user decides.
constexpr const char* kGroup = "haptic-operator";

std::optional<uid_t> user_of(const ExternalSettings& settings) {
  const std::string& name = settings.adapter_user;
  if (name.empty()) return std::nullopt;
  if (const passwd* entry = getpwnam(name.c_str())) return entry->pw_uid;
  throw InputError(settings.source, "adapter_user", "found \"" + name + "\"",
                   "a user of this machine");
}

/// Sends the welcome with the memory's descriptor, or without one a refusal. Never waits.
bool send_welcome(int connection, const haptic_link_welcome& welcome, int descriptor) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  iovec part{const_cast<haptic_link_welcome*>(&welcome), sizeof welcome};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
  }
  return sendmsg(connection, &message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
         static_cast<ssize_t>(sizeof welcome);
}

}  // namespace

LinkServer::LinkServer(const ExternalSettings& settings, LinkMemory& memory, LinkState& state)
    : settings_(settings),
      memory_(memory),
      state_(state),
      adapter_user_(user_of(settings)),
      listener_(own_run_folder() / ("device." + settings.link + ".link"), kGroup),
      stop_(eventfd(0, EFD_CLOEXEC)),
      instances_(static_cast<std::uint64_t>(monotonic_ns())) {
  if (stop_ < 0) throw OperationError(std::string("eventfd: ") + std::strerror(errno));
  // Signals are for the thread that waits for them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread_.native_handle(), "external-link");
}

LinkServer::~LinkServer() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(stop_, &one, sizeof one);
  thread_.join();
  if (adapter_ && adapter_->process >= 0) close(adapter_->process);
  close(stop_);
}

void LinkServer::run() {
  for (;;) {
    wait();
    if (sources_[0].revents != 0) return;
    if (sources_[1].revents != 0) accept();
    hear_pending();
    watch_members();
    tell_findings();
    tell_guard_zero();
  }
}

void LinkServer::watch_members() {
  std::erase_if(guards_, [](const LocalConnection& guard) { return guard.hung_up(); });
  if (adapter_) watch_adapter();
}

// Guards are looked at in every turn; they never speak again, so they cannot wake this thread.
void LinkServer::wait() {
  sources_.assign({{stop_, POLLIN, 0}, {listener_.descriptor(), POLLIN, 0}});
  if (adapter_) sources_.push_back({adapter_->connection.descriptor(), POLLIN | POLLRDHUP, 0});
  for (const Pending& p : pending_) sources_.push_back({p.connection.descriptor(), POLLIN, 0});
  if (poll(sources_.data(), sources_.size(), kTurn_ms) < 0) {
    for (pollfd& source : sources_) source.revents = 0;
  }
}

// Bounded: who connects again and again can occupy this thread for one turn only.
void LinkServer::accept() {
  for (std::size_t i = 0; i < kMaxAccepted; ++i) {
    const int descriptor = listener_.accept();
    if (descriptor < 0 && lacks_descriptors() && !pending_.empty()) {
      pending_.erase(pending_.begin());
      continue;
    }
    if (descriptor < 0) return;
    LocalConnection connection(descriptor);
    const Peer peer = connection.peer();
    if (!is_own(peer) && peer.uid != adapter_user_) {
      refuse(connection, "user " + std::to_string(peer.uid) + kMayNot);
      continue;
    }
    if (pending_.size() >= kMaxPending) make_room();
    pending_.push_back({std::move(connection), std::chrono::steady_clock::now()});
  }
}

// Of those that are silent, the oldest has had the longest time to say hello; a guard and an
// adapter of the daemon's own user do not make room for the adapter's user.
void LinkServer::make_room() {
  hear_pending();
  if (pending_.size() < kMaxPending) return;
  const auto other = std::find_if(pending_.begin(), pending_.end(), [this](const Pending& p) {
    return !is_own(p.connection.peer());
  });
  pending_.erase(other != pending_.end() ? other : pending_.begin());
}

bool LinkServer::is_own(const Peer& peer) const {
  return peer.uid == geteuid() || peer.uid == 0;
}

void LinkServer::refuse(const LocalConnection& connection, const std::string& why) {
  haptic_link_welcome welcome{HAPTIC_LINK_MAGIC, HAPTIC_LINK_VERSION, haptic_link_layout(), 0, {}};
  why.copy(welcome.refusal, sizeof welcome.refusal - 1);
  told_refusals_.say(Priority::kWarning, "link \"{}\": process {} refused: {}", settings_.link,
                     connection.peer().pid, why);
  send_welcome(connection.descriptor(), welcome, -1);
  // A hello that nobody has read would take the refusal away from its sender.
  haptic_link_hello hello;
  static_cast<void>(connection.receive(&hello, sizeof hello));
}

void LinkServer::hear_pending() {
  const Time now = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < pending_.size();) {
    haptic_link_hello hello{};
    const auto received = pending_[i].connection.receive(&hello, sizeof hello);
    if (received == LocalConnection::Received::kNothing &&
        now - pending_[i].since < kHelloPatience) {
      ++i;
      continue;
    }
    LocalConnection connection = std::move(pending_[i].connection);
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
    if (received == LocalConnection::Received::kPacket) admit(std::move(connection), hello);
  }
}

std::string LinkServer::refusal_reason(const haptic_link_hello& hello, const Peer& peer) const {
  const bool guard = hello.role == HAPTIC_LINK_GUARD;
  if (guard && !is_own(peer)) {
    return "user " + std::to_string(peer.uid) + " may not be the guard";
  }
  if (hello.magic != HAPTIC_LINK_MAGIC || hello.version != HAPTIC_LINK_VERSION ||
      hello.layout != haptic_link_layout()) {
    return "another version of the link, compile with the header of this hapticd";
  }
  if (guard) return guards_.size() < kMaxGuards ? "" : "too many guards";
  if (hello.role != HAPTIC_LINK_ADAPTER) return "neither adapter nor guard";
  if (adapter_) return "in use by process " + std::to_string(adapter_->peer.pid);
  return "";
}

void LinkServer::admit(LocalConnection connection, const haptic_link_hello& hello) {
  watch_members();  // those that have gone must not keep the newcomer out
  const Peer peer = connection.peer();
  const std::string refusal = refusal_reason(hello, peer);
  if (!refusal.empty()) return refuse(connection, refusal);
  haptic_link_welcome welcome{HAPTIC_LINK_MAGIC, HAPTIC_LINK_VERSION, haptic_link_layout(), 0, {}};
  if (hello.role == HAPTIC_LINK_GUARD) {
    if (send_welcome(connection.descriptor(), welcome, memory_.descriptor())) {
      guards_.push_back(std::move(connection));
    }
    return;
  }
  memory_.identify();
  haptic_link_memory& m = memory_.shared();
  welcome.instance = ++instances_;
  // What its predecessor wrote is not this adapter's; what its device does is not known yet.
  __atomic_store_n(&m.newest_pose, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&m.zero_since_ns, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&m.adapter_pid, peer.pid, __ATOMIC_RELAXED);
  __atomic_store_n(&m.instance, welcome.instance, __ATOMIC_RELEASE);
  const int descriptor = connection.descriptor();
  adapter_.emplace(
      Adapter{std::move(connection), peer, static_cast<int>(syscall(SYS_pidfd_open, peer.pid, 0))});
  if (!send_welcome(descriptor, welcome, memory_.descriptor())) return drop_adapter("has gone");
  state_.hung.store(false, std::memory_order_relaxed);
  told_hung_ = false;
  state_.instance.store(welcome.instance, std::memory_order_release);
  message::say(Priority::kInfo, "link \"{}\": adapter connected, process {}", settings_.link,
               peer.pid);
}

void LinkServer::watch_adapter() {
  char nothing[8];
  switch (adapter_->connection.receive(nothing, sizeof nothing)) {
    case LocalConnection::Received::kNothing:
      break;
    case LocalConnection::Received::kClosed:
      return drop_adapter("has gone");
    case LocalConnection::Received::kPacket:
    case LocalConnection::Received::kOther:
      return drop_adapter("sent a packet after its hello, and was dropped");
  }
  end_hung();
}

void LinkServer::drop_adapter(const char* why) {
  haptic_link_memory& m = memory_.shared();
  state_.instance.store(0, std::memory_order_release);
  __atomic_store_n(&m.instance, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&m.adapter_pid, 0, __ATOMIC_RELEASE);
  message::say(Priority::kWarning, "link \"{}\": adapter {} {}", settings_.link, adapter_->peer.pid,
               why);
  if (adapter_->process >= 0) close(adapter_->process);
  adapter_.reset();
}

void LinkServer::end_hung() {
  if (!state_.hung.load(std::memory_order_relaxed)) {
    told_hung_ = false;
    return;
  }
  if (told_hung_) return;
  told_hung_ = true;
  const bool ended = settings_.end_hung_adapter &&
                     syscall(SYS_pidfd_send_signal, adapter_->process, SIGKILL, nullptr, 0) == 0;
  message::say(Priority::kError, "link \"{}\": adapter {} does not answer while a force may act{}",
               settings_.link, adapter_->peer.pid,
               ended ? ": ended"
               : settings_.end_hung_adapter
                   ? ", and cannot be ended"
                   : "; only the device's own watchdog can release it now");
}

void LinkServer::tell_guard_zero() {
  if (told_guard_zero_ || __atomic_load_n(&memory_.shared().guard_zero, __ATOMIC_RELAXED) == 0) {
    return;
  }
  told_guard_zero_ = true;
  message::say(Priority::kError,
               "link \"{}\": hapticd-guard has demanded zero: an emergency stop until this hapticd "
               "is started again",
               settings_.link);
}

// At most one line a second, whatever an adapter writes.
void LinkServer::tell_findings() {
  const std::uint64_t refused = state_.refused.load(std::memory_order_relaxed);
  const Time now = std::chrono::steady_clock::now();
  if (refused == told_refused_ || now < next_tell_) return;
  next_tell_ = now + 1s;
  const auto last = static_cast<std::size_t>(state_.last.load(std::memory_order_relaxed));
  message::say(Priority::kWarning, "link \"{}\": {} records refused, last: {}", settings_.link,
               refused - told_refused_, kLinkFindingNames[last]);
  told_refused_ = refused;
}

}  // namespace haptic
