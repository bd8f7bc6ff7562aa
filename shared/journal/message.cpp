#include "shared/journal/message.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>
#include <type_traits>
#include <utility>

#include "shared/printable.h"

namespace haptic {
namespace {

struct Entry {
  std::atomic<std::size_t> turn{0};  // 2 k: free for the k-th line in this place; 2 k + 1: holds it
  Priority priority = Priority{};
  std::uint32_t length = 0;
  char text[message::kMaxLineLength] = {};
};

/// Bounded queue of many writers and one reader, after D. Vyukov: each entry carries the turn in
/// which it may be written or read, so that no thread ever waits for another. All zeros at the
/// start, so that a program without messages touches none of its pages.
class Queue {
 public:
  constexpr Queue() = default;

  void push(Priority priority, std::string_view text) noexcept {
    std::size_t at = tail_.load(std::memory_order_relaxed);
    Entry* entry;
    for (;;) {
      entry = &entries_[at % kCapacity];
      const std::size_t turn = entry->turn.load(std::memory_order_acquire);
      if (turn == free_for(at)) {
        if (tail_.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) break;
      } else if (turn < free_for(at)) {
        dropped_.fetch_add(1, std::memory_order_relaxed);
        return;
      } else {
        at = tail_.load(std::memory_order_relaxed);
      }
    }
    entry->priority = priority;
    entry->length = static_cast<std::uint32_t>(std::min(text.size(), sizeof entry->text));
    std::memcpy(entry->text, text.data(), entry->length);
    entry->turn.store(free_for(at) + 1, std::memory_order_release);
    sem_post(&filled_);
  }

  /// The reader: waits for the next entry. @returns nullptr once `stop` is set and none is left
  Entry* front(const std::atomic<bool>& stop) noexcept {
    while (sem_wait(&filled_) != 0 && errno == EINTR) {
    }
    Entry& entry = entries_[head_ % kCapacity];
    while (entry.turn.load(std::memory_order_acquire) != free_for(head_) + 1) {
      if (stop.load(std::memory_order_acquire) && tail_.load(std::memory_order_acquire) == head_) {
        return nullptr;
      }
      // A writer has reserved this entry and was preempted before filling it.
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    return &entry;
  }
  void pop() noexcept {
    entries_[head_ % kCapacity].turn.store(free_for(head_ + kCapacity), std::memory_order_release);
    ++head_;
  }
  void wake() noexcept { sem_post(&filled_); }
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kCapacity = 256;
  /// The turn of its entry in which line `number` may be written.
  static std::size_t free_for(std::size_t number) noexcept { return number / kCapacity * 2; }

  std::array<Entry, kCapacity> entries_{};
  alignas(64) std::atomic<std::size_t> tail_{0};
  alignas(64) std::size_t head_ = 0;
  std::atomic<std::uint64_t> dropped_{0};
  sem_t filled_{};  // zeros, as after sem_init(&filled_, 0, 0)
};

// Never destroyed: a writer thread that its reader blocks may outlive all other objects.
static_assert(std::is_trivially_destructible_v<Queue>);
constinit Queue lines;
/// Notices to systemd, in a separate queue: a blocked standard error must not delay the
/// watchdog's keep-alive.
constinit Queue notices;

/// Whether standard error leads to journald (systemd.exec(5), $JOURNAL_STREAM).
bool standard_error_is_the_journal() {
  const char* const named = std::getenv("JOURNAL_STREAM");
  unsigned long long device = 0, inode = 0;
  struct stat status {};
  return named != nullptr && std::sscanf(named, "%llu:%llu", &device, &inode) == 2 &&
         fstat(STDERR_FILENO, &status) == 0 && status.st_dev == device && status.st_ino == inode;
}

bool write_whole(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;  // no reader any more
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

namespace message {

void put(Priority priority, std::string_view line) noexcept {
  char clean[kMaxLineLength];
  std::size_t length = 0;
  EscapeBuffer escape{};
  while (!line.empty()) {
    const std::string_view shown = take_printable(line, escape);
    if (shown.size() > sizeof clean - length) break;
    shown.copy(clean + length, shown.size());
    length += shown.size();
  }
  lines.push(priority, {clean, length});
}

void notify(std::string_view notice) noexcept {
  notices.push(Priority::kInfo, notice);
}

std::uint64_t dropped() noexcept {
  return lines.dropped() + notices.dropped();
}

void OncePerSecond::pass(Priority priority, std::string_view line) noexcept {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) {
    ++left_out_;
    priority_ = priority;
    last_length_ = line.copy(last_, sizeof last_);
    return;
  }
  report();
  next_ = now + std::chrono::seconds(1);
  put(priority, line);
}

void OncePerSecond::flush(bool now) noexcept {
  if (left_out_ > 0 && (now || std::chrono::steady_clock::now() >= next_)) report();
}

void OncePerSecond::report() noexcept {
  const std::string_view last(last_, last_length_);
  if (left_out_ == 1) {
    put(priority_, last);
  } else if (left_out_ > 1) {
    message::say(priority_, "{} more messages in a second, the last of them: {}", left_out_, last);
  }
  left_out_ = 0;
}

}  // namespace message

struct MessageWriter::State {
  std::string program;
  bool journald = false;
  std::atomic<bool> stop{false};
  sem_t ended;  // threads that have ended
  std::uint64_t told_dropped = 0;

  State() { sem_init(&ended, 0, 0); }

  void write_line(Priority priority, std::string_view line) const {
    if (journald) {
      const std::string text = "MESSAGE=" + std::string(line);
      const std::string name = "SYSLOG_IDENTIFIER=" + program;
      const std::string level = "PRIORITY=" + std::to_string(static_cast<int>(priority));
      const iovec fields[] = {{const_cast<char*>(text.data()), text.size()},
                              {const_cast<char*>(name.data()), name.size()},
                              {const_cast<char*>(level.data()), level.size()}};
      if (sd_journal_sendv(fields, 3) == 0) return;
    }
    // A failed write cannot be reported.
    static_cast<void>(write_whole(program + ": " + std::string(line) + "\n"));
  }

  void write_lines() {
    while (Entry* const entry = lines.front(stop)) {
      const std::string text(entry->text, entry->length);
      const Priority priority = entry->priority;
      lines.pop();
      write_line(priority, text);
      const std::uint64_t dropped = message::dropped();
      if (dropped != told_dropped) {
        write_line(Priority::kWarning,
                   std::to_string(dropped - told_dropped) + " messages were dropped");
        told_dropped = dropped;
      }
    }
    sem_post(&ended);
  }

  void send_notices() {
    while (Entry* const entry = notices.front(stop)) {
      const std::string text(entry->text, entry->length);
      notices.pop();
      sd_notify(0, text.c_str());
    }
    sem_post(&ended);
  }
};

MessageWriter::MessageWriter(std::string program) : state_(std::make_shared<State>()) {
  state_->program = std::move(program);
  state_->journald = standard_error_is_the_journal();
  // Without a reader, write() fails instead of raising SIGPIPE, in the whole process.
  signal(SIGPIPE, SIG_IGN);
  // Signals are for other threads, whenever those come to block them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([state = state_] { state->write_lines(); }).detach();
  std::thread([state = state_] { state->send_notices(); }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

MessageWriter::~MessageWriter() {
  state_->stop.store(true, std::memory_order_release);
  lines.wake();
  notices.wake();
  timespec latest{};
  clock_gettime(CLOCK_MONOTONIC, &latest);
  latest.tv_nsec += 200'000'000;
  if (latest.tv_nsec >= 1'000'000'000) {
    latest.tv_nsec -= 1'000'000'000;
    ++latest.tv_sec;
  }
  for (int threads = 2; threads > 0;) {
    if (sem_clockwait(&state_->ended, CLOCK_MONOTONIC, &latest) == 0) {
      --threads;
    } else if (errno != EINTR) {
      break;  // its reader blocks a writer thread
    }
  }
}

}  // namespace haptic
