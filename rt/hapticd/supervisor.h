#pragma once

#include <array>
#include <bitset>
#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <future>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rt/hapticd/event_quota.h"
#include "rt/hapticd/guard_watch.h"
#include "rt/hapticd/options.h"
#include "rt/hapticd/record_budget.h"
#include "rt/hapticd/sleep_inhibitor.h"
#include "rt/hapticd/stop_listener.h"
#include "rt/servo/command_channel.h"
#include "rt/servo/servo_loop.h"
#include "rt/session/running_scene.h"
#include "rt/session/scene_change.h"
#include "shared/ipc/command_server.h"
#include "shared/ipc/pulse.h"
#include "shared/ipc/shared_memory.h"
#include "shared/ipc/telemetry_reader.h"
#include "shared/journal/message.h"

namespace haptic {

/// The ordinary thread next to the loop: signals, operator commands, systemd notifications, fault
/// records, changes of the scene, messages. It reads the loop's state from shared memory like
/// any other process. Nothing it does may wait for another process; the loop detects if it hangs.
class Supervisor {
 public:
  /// Blocks every signal that asks a process to end, or ends it unless it is handled, for the
  /// calling thread and all it creates later; call before any thread exists.
  static void block_signals();
  /// After run(): the signals end the process again.
  static void unblock_signals();

  /// Files of the run folder that the supervisor watches besides its own.
  struct RunFiles {
    std::list<InstanceLock>& locks;  ///< of the daemon's name and of its device
    const PulseWriter& pulse;
  };

  /// @param scene  the running one; another one after a change. All arguments outlive this.
  /// @param device_identity  what a guard must be able to make safe (rt/device/device_identity.h)
  Supervisor(const Options& options, Device& device, std::uint64_t device_identity, Clock& clock,
             HapticCycle& cycle, ServoLoop& loop, CommandChannel& channel,
             std::unique_ptr<RunningScene>& scene, RunFiles files);
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;
  ~Supervisor();

  /// Before run(): the loop's thread, its CPU, and which of its grants are watched from then on.
  void watch_scheduling_of(pid_t thread, int cpu, std::uint32_t grants);

  /// Runs until the loop has ended, a signal arrives or the daemon is no longer reachable; then
  /// stops the loop and waits for it.
  /// SIGHUP loads the scene file of the command line again, unless there is a terminal, where it
  /// means that the terminal was closed.
  /// @returns false if the loop did not stop in time
  bool run();

  /// False once files of the run folder were removed and cannot be made again: operators could
  /// neither see nor stop the daemon.
  bool is_reachable() const { return is_reachable_; }

  /// After run(). @returns false if a scene is still being built or freed after `seconds`: the
  /// process must end without destroying this object
  bool settled_within(double seconds) { return change_.settled_within(seconds); }

 private:
  using Request = CommandServer::Request;

  int wait();
  void serve_commands();
  void receive();
  void collect();
  void answer_stops();
  void handle(const Request& request);
  std::optional<ServoCommand> resolve(const Request& request);
  /// @returns why the world refuses; empty: it does not
  std::string resolve_pull(const Command& command, Pull& pull) const;
  /// Refuses a command that is invalid by what the supervisor knows; the loop may still refuse it.
  /// @returns false if it was refused
  bool admit(const Request& request);
  bool admit_engage(const Request& request);
  void note_operator(const Request& request);
  void answer(const Request& request, const CommandReply& reply);
  void refuse(const Request& request, CommandAnswer answer, const std::string& text = {},
              double minimum = 0.0, double maximum = 0.0);
  void record_command(const Peer& from, const Command& command, const CommandReply& reply);
  void write_line(const Peer& from, const Command& command, const CommandReply& reply);
  /// Events for the commands that were no events, and lines for messages that were left out.
  void report_left_out(bool at_end = false);
  std::uint64_t newest_cycle() const;
  void home_at_start();

  CommandReply reply_now(CommandAnswer answer, const std::string& text = {}) const;
  void load(const std::filesystem::path& path, const Request* requester);
  void watch_change();
  void follow_change();
  void answer_load(CommandAnswer answer, const std::string& text);
  void watch_faults();
  void record_fault(const SampleRecord& sample);
  void record_scene();
  TelemetryReader own_telemetry() const;
  /// @param scene  of the cycles that are recorded
  void begin_record(const RunningScene& scene);
  /// Reports a fault record that has been written, after waiting for it up to `patience`.
  void collect_record(std::chrono::milliseconds patience);
  void watch_guard();
  void watch_run_files();
  void watch_scheduling();
  void notify_systemd();
  void report_warnings(const Statistics& statistics);

  const Options& options_;
  bool real_device_;
  HapticCycle& cycle_;
  ServoLoop& loop_;
  CommandChannel& channel_;
  std::unique_ptr<RunningScene>& scene_;
  RunFiles files_;
  SceneChange change_;
  CommandServer server_;
  StopListener stops_;
  GuardWatch guard_;
  int signals_;  ///< signalfd
  std::optional<TelemetryReader> reader_;

  std::optional<Request> pending_;  ///< the command that the loop executes
  std::deque<Request> waiting_;     ///< one a connection at most
  struct Stopping {
    Request request;
    std::uint64_t ticket;
  };
  std::vector<Stopping> stop_requests_;
  std::optional<Request> loading_;  ///< client that requested the change; empty for SIGHUP
  OperatorRecord holder_{};         ///< since_ns 0: no operator
  bool reload_again_ = false;       ///< SIGHUP arrived during a change of the scene
  bool hangup_stops_;
  bool stopping_ = false;
  bool home_wanted_;

  bool guarded_ = false;
  std::string guard_lost_;  ///< why, the last time
  bool told_unguarded_ = false;

  bool is_reachable_ = true;
  std::int64_t checked_ns_ = 0;  ///< run folder and scheduling

  pid_t loop_thread_ = 0;
  int loop_cpu_ = -1;
  std::uint32_t watched_grants_ = 0;

  std::uint64_t cycles_at_notice_ = 0;
  std::bitset<kPhysicalWarningCount> reported_warnings_;  // of the scene
  std::int64_t noticed_ns_ = 0;
  FaultKind fault_seen_ = FaultKind::kNone;
  std::int64_t fault_ns_ = 0;  ///< time of the fault whose record is not written yet; 0: none
  int black_boxes_ = 0;
  RecordBudget record_budget_;
  EventQuota event_quota_;
  std::string manifest_text_;                                                ///< of the device
  std::future<std::filesystem::path> record_;                                ///< being written
  std::array<message::OncePerSecond, 16> told_commands_, refused_commands_;  ///< by CommandKind
  message::OncePerSecond told_faults_, told_garbage_, told_no_record_;
  std::uint64_t garbage_told_ = 0;
  std::optional<SleepInhibitor> awake_;  ///< of a real device only
};

}  // namespace haptic
