#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <future>
#include <optional>
#include <string>

#include "rt/hapticd/options.h"
#include "rt/servo/command_channel.h"
#include "rt/servo/parameter_table.h"
#include "rt/servo/servo_loop.h"
#include "shared/ipc/command_server.h"
#include "shared/ipc/telemetry_reader.h"
#include "shared/ipc/telemetry_writer.h"

namespace haptic {

/// The ordinary thread beside the loop: signals, operator commands, systemd notifications, fault
/// records, messages. It reads the loop's state from shared memory like anybody else.
class Supervisor {
 public:
  /// Blocks SIGTERM, SIGINT and SIGHUP for the calling thread and all it creates later; call before
  /// any thread exists.
  static void block_signals();

  Supervisor(const Options& options, HapticCycle& cycle, ServoLoop& loop, CommandChannel& channel,
             const ParameterTable& parameters, TelemetryWriter& telemetry);

  /// Until the loop is done or a signal comes; then stops the loop and waits for it.
  /// @returns false if the loop did not stop in time
  bool run();

 private:
  void serve_commands();
  std::optional<ServoCommand> resolve(const CommandServer::Request& request);
  void refuse(const CommandServer::Request& request, CommandAnswer answer, double minimum = 0.0,
              double maximum = 0.0);
  void watch_faults();
  /// Tells of a fault record that has been written, after waiting for it up to `patience`.
  void collect_record(std::chrono::milliseconds patience);
  void watch_guard();
  void notify_systemd();

  const Options& options_;
  HapticCycle& cycle_;
  ServoLoop& loop_;
  CommandChannel& channel_;
  const ParameterTable& parameters_;
  TelemetryWriter& telemetry_;
  CommandServer mailbox_;
  TelemetryReader reader_;
  std::optional<CommandServer::Request> pending_;
  bool stopping_ = false;

  bool guarded_ = false;
  int polls_since_guard_ = 0;

  std::uint64_t cycles_at_notice_ = 0;
  int polls_since_notice_ = 0;
  FaultKind fault_seen_ = FaultKind::kNone;
  int polls_since_fault_ = 0;
  int black_boxes_ = 0;
  std::future<std::filesystem::path> record_;  ///< being written
};

}  // namespace haptic
