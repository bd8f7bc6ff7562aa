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

/// Messages of a daemon for users, and notices for systemd, on their way to the journal.
///
/// Queuing a message never throws, blocks, waits or allocates: a line is put into a queue of fixed
/// size, and dropped and counted if the queue is full. A separate thread (MessageWriter) writes it:
/// to journald in journald's protocol if standard error leads there, else to standard error. A
/// blocked output (a full pipe, a stopped terminal, a hung journald) delays no other thread. For
/// ordinary threads; not for a loop.
namespace message {

inline constexpr std::size_t kMaxLineLength = 1000;  ///< characters; the rest of a line is cut

/// Queues a line, printable (shared/printable.h).
void put(Priority priority, std::string_view line) noexcept;
/// Queues a notice for systemd (sd_notify), e.g. "WATCHDOG=1".
void notify(std::string_view notice) noexcept;
/// Number of lines and notices that were dropped because the queue was full.
std::uint64_t dropped() noexcept;

template <typename... Arguments>
void say(Priority priority, fmt::format_string<Arguments...> format,
         Arguments&&... arguments) noexcept {
  try {
    char line[kMaxLineLength];
    const auto end =
        fmt::format_to_n(line, sizeof line, format, std::forward<Arguments>(arguments)...);
    put(priority, {line, std::min(end.size, sizeof line)});
  } catch (...) {
    put(priority, "a message that cannot be formatted");
  }
}

/// Passes one line per second and cause, and reports how many it left out, with the last of them.
class OncePerSecond {
 public:
  template <typename... Arguments>
  void say(Priority priority, fmt::format_string<Arguments...> format,
           Arguments&&... arguments) noexcept {
    try {
      char line[kMaxLineLength];
      const auto end =
          fmt::format_to_n(line, sizeof line, format, std::forward<Arguments>(arguments)...);
      pass(priority, {line, std::min(end.size, sizeof line)});
    } catch (...) {
      pass(priority, "a message that cannot be formatted");
    }
  }

  /// Reports what was left out, once its second is over or `now`: without it, what is left out at
  /// the end of a flood would be reported with the next line only.
  void flush(bool now = false) noexcept;

 private:
  void pass(Priority priority, std::string_view line) noexcept;
  void report() noexcept;

  std::chrono::steady_clock::time_point next_{};
  std::uint64_t left_out_ = 0;
  Priority priority_ = Priority::kInfo;  ///< of the last one left out
  char last_[200] = {};                  ///< its beginning
  std::size_t last_length_ = 0;
};

}  // namespace message

/// The two threads of a process that empty the queues of lines and of notices to systemd. Messages
/// queued before their start are written, too.
class MessageWriter {
 public:
  /// @param program  begins every line on standard error; journald's SYSLOG_IDENTIFIER
  explicit MessageWriter(std::string program);
  MessageWriter(const MessageWriter&) = delete;
  MessageWriter& operator=(const MessageWriter&) = delete;
  /// Waits at most a fifth of a second for queued messages; a thread whose reader blocks it is left
  /// running until the end of the process.
  ~MessageWriter();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace haptic
