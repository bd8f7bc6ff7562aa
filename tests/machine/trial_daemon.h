#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared/ipc/command_client.h"
#include "shared/ipc/telemetry_reader.h"

namespace haptic::machine {

/// A daemon of our own: started, asked, ended.
class Daemon {
 public:
  /// @param unheard  its standard error is a pipe without a reader
  Daemon(std::string name, std::vector<char*> command, bool unheard = false)
      : name_(std::move(name)), command_(std::move(command)), unheard_(unheard) {}
  ~Daemon() { end(); }
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  void start();
  bool runs();
  void end();
  pid_t pid() const { return pid_; }
  const std::string& name() const { return name_; }

  bool state_is(ServoState wanted) { return state() == wanted; }
  /// Of its newest cycle; nothing if there is none yet.
  std::optional<ServoState> state();
  bool tell(CommandKind kind);

 private:
  std::string name_;
  std::vector<char*> command_;
  bool unheard_;
  std::unique_ptr<TelemetryReader> reader_;
  pid_t pid_ = -1;
};

}  // namespace haptic::machine
