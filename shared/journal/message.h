#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace haptic {

/// Importance of a line, as syslog counts it.
enum class Priority : int { kError = 3, kWarning = 4, kInfo = 6 };

/// What a daemon has to say to a person, and to systemd, on its way to the journal.
///
/// Saying something never throws, blocks, waits or allocates: a line is put into a queue of fixed
/// size, and dropped and counted where that is full. A separate thread (MessageWriter) writes: to
/// journald in its own protocol where standard error leads there, else to standard error; whatever
/// keeps it waiting (a full pipe, a stopped terminal, a hung journald) delays no other thread. For
/// ordinary threads; not for a loop.
namespace message {

inline constexpr std::size_t kLongestLine = 1000;  ///< characters; the rest of a line is cut

/// Queues a line as it is; control characters become '?'.
void put(Priority priority, std::string_view line) noexcept;
/// Queues a notice for systemd (sd_notify), e.g. "WATCHDOG=1".
void notify(std::string_view notice) noexcept;
/// Lines and notices that found the queue full.
std::uint64_t dropped() noexcept;

template <typename... Arguments>
void say(Priority priority, fmt::format_string<Arguments...> format,
         Arguments&&... arguments) noexcept {
  try {
    char line[kLongestLine];
    const auto end =
        fmt::format_to_n(line, sizeof line, format, std::forward<Arguments>(arguments)...);
    put(priority, {line, std::min(end.size, sizeof line)});
  } catch (...) {
    put(priority, "a message that cannot be formatted");
  }
}

/// Lets one line of a cause through a second, and tells how many it kept back.
class OncePerSecond {
 public:
  template <typename... Arguments>
  void say(Priority priority, fmt::format_string<Arguments...> format,
           Arguments&&... arguments) noexcept {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) {
      ++kept_back_;
      return;
    }
    next_ = now + std::chrono::seconds(1);
    if (kept_back_ > 0) {
      message::say(priority, "{} more messages like the next line were suppressed", kept_back_);
    }
    kept_back_ = 0;
    message::say(priority, format, std::forward<Arguments>(arguments)...);
  }

 private:
  std::chrono::steady_clock::time_point next_{};
  std::uint64_t kept_back_ = 0;
};

}  // namespace message

/// The threads that empty the queues of lines and of notices to systemd, two in a process. What was
/// said before they began is written, too.
class MessageWriter {
 public:
  /// @param program  begins every line on standard error; journald's SYSLOG_IDENTIFIER
  explicit MessageWriter(std::string program);
  MessageWriter(const MessageWriter&) = delete;
  MessageWriter& operator=(const MessageWriter&) = delete;
  /// Waits at most a fifth of a second for what is still queued; a thread that is kept waiting by a
  /// reader is left to the end of the process.
  ~MessageWriter();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace haptic
