#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "rt/hapticd/options.h"
#include "rt/hapticd/running_scene.h"
#include "rt/hapticd/scene_change.h"
#include "rt/servo/command_channel.h"
#include "rt/servo/servo_loop.h"
#include "shared/ipc/command_server.h"
#include "shared/ipc/telemetry_reader.h"

namespace haptic {

/// The ordinary thread beside the loop: signals, operator commands, systemd notifications, fault
/// records, changes of the scene, messages. It reads the loop's state from shared memory like
/// anybody else.
class Supervisor {
 public:
  /// Blocks SIGTERM, SIGINT and SIGHUP for the calling thread and all it creates later; call before
  /// any thread exists.
  static void block_signals();

  /// @param scene that runs; another one after a change. All outlive this.
  Supervisor(const Options& options, const Device& device, Clock& clock, HapticCycle& cycle,
             ServoLoop& loop, CommandChannel& channel, std::unique_ptr<RunningScene>& scene);

  /// Until the loop is done or a signal comes; then stops the loop and waits for it. SIGHUP loads
  /// the scene file of the command line again, unless there is a terminal whose end it may tell of.
  /// @returns false if the loop did not stop in time
  bool run();

  /// After run(). @returns false if a scene is still being built or given back after `seconds`: the
  /// process must end without destroying this
  bool settled_within(double seconds) { return change_.settled_within(seconds); }

 private:
  void serve_commands();
  std::optional<ServoCommand> resolve(const CommandServer::Request& request);
  void refuse(const CommandServer::Request& request, CommandAnswer answer, double minimum = 0.0,
              double maximum = 0.0);
  CommandReply reply_now(CommandAnswer answer) const;
  void load(const std::filesystem::path& path, const CommandServer::Request* requester);
  void watch_change();
  void follow_change();
  void answer_load(CommandAnswer answer, const std::string& text);
  void watch_faults();
  void begin_record();
  /// Tells of a fault record that has been written, after waiting for it up to `patience`.
  void collect_record(std::chrono::milliseconds patience);
  void watch_guard();
  void notify_systemd();

  const Options& options_;
  HapticCycle& cycle_;
  ServoLoop& loop_;
  CommandChannel& channel_;
  std::unique_ptr<RunningScene>& scene_;
  SceneChange change_;
  CommandServer mailbox_;
  std::optional<TelemetryReader> reader_;
  std::optional<CommandServer::Request> pending_;
  std::optional<CommandServer::Request> loading_;  ///< who asked for the change, if not SIGHUP
  bool reload_again_ = false;                      ///< SIGHUP came while a scene was on its way
  bool hangup_stops_;
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
