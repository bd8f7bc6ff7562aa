// Commands of operators: who may send them, which ones go to the loop, and who gets the answer.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "rt/hapticd/supervisor.h"
#include "shared/monotonic_time.h"

namespace haptic {
namespace {

constexpr std::uint64_t kOwn = 0;  // connection of the supervisor's own commands (home_at_start)

/// Copies as much of a line as fits; the whole line is in the journal.
void copy_line(char (&text)[CommandReply::kTextLength], const std::string& line) {
  constexpr std::size_t kRoom = CommandReply::kTextLength - 1;
  const std::string shown = line.size() <= kRoom ? line : line.substr(0, kRoom - 3) + "...";
  shown.copy(text, shown.size());
}

}  // namespace

void Supervisor::serve_commands() {
  server_.set_epoch(channel_.epoch());
  collect();
  receive();
  answer_stops();
  // Ends, because each connection has at most one pending command.
  while (!pending_ && !waiting_.empty()) {
    const Request request = waiting_.front();
    waiting_.pop_front();
    handle(request);
  }
  while (const auto stop = stops_.next()) record_command(stop->from, stop->command, stop->reply);
  const std::uint64_t garbage = server_.garbage();
  store_word(scene_->telemetry().statistics().counters.command_garbage, garbage);
  if (garbage != garbage_told_) {
    told_garbage_.say(Priority::kWarning, "{} invalid command packets so far", garbage);
    garbage_told_ = garbage;
  }
}

void Supervisor::receive() {
  server_.begin_turn();
  while (const auto request = server_.poll()) {
    if (request->command.kind == CommandKind::kStop) {
      stop_requests_.push_back({*request, channel_.request_stop()});
    } else {
      waiting_.push_back(*request);
    }
  }
}

// Collects the reply of the loop, or withdraws the command if no client waits for it any more.
void Supervisor::collect() {
  if (!pending_) return;
  CommandReply reply{};
  if (!channel_.collect(reply)) {
    const bool abandoned = pending_->connection != kOwn && !server_.waits(*pending_);
    if (abandoned && channel_.withdraw()) {
      reply = reply_now(CommandAnswer::kExpired);
    } else if (loop_.done()) {
      reply = reply_now(CommandAnswer::kShuttingDown);
    } else {
      return;
    }
  }
  const Request request = *pending_;
  pending_.reset();
  if (request.connection == kOwn) return;
  if (reply.answer == CommandAnswer::kApplied) note_operator(request);
  answer(request, reply);
}

void Supervisor::answer_stops() {
  std::erase_if(stop_requests_, [&](const Stopping& stop) {
    if (!channel_.stop_served(stop.ticket) && !loop_.done()) return false;
    answer(stop.request, channel_.stop_served(stop.ticket)
                             ? channel_.stop_reply()
                             : reply_now(CommandAnswer::kShuttingDown));
    return true;
  });
}

void Supervisor::handle(const Request& request) {
  if (!server_.waits(request)) {  // the client exited: its command is discarded
    record_command(request.from, request.command, reply_now(CommandAnswer::kExpired));
    return;
  }
  if (!admit(request)) return;
  if (request.command.kind == CommandKind::kMark) {  // nothing to do but what answer() records
    answer(request, reply_now(CommandAnswer::kApplied));
    return;
  }
  if (request.command.kind == CommandKind::kTakeover) {
    note_operator(request);
    answer(request, reply_now(CommandAnswer::kApplied));
    return;
  }
  if (request.command.kind == CommandKind::kLoad) {
    load(request.command.text, &request);
    return;
  }
  const auto command = resolve(request);
  if (!command) return;
  if (stopping_ || !channel_.post(*command)) {
    refuse(request, CommandAnswer::kShuttingDown);
  } else {
    pending_ = request;
  }
}

bool Supervisor::admit(const Request& request) {
  const Command& command = request.command;
  if (command.deadline_ns != 0 && monotonic_ns() > command.deadline_ns) {
    refuse(request, CommandAnswer::kExpired);
    return false;
  }
  const bool held_by_another = holder_.since_ns != 0 && holder_.uid != request.from.uid;
  const bool changes_nothing = command.kind == CommandKind::kMark;
  if (held_by_another && command.kind != CommandKind::kTakeover && !changes_nothing) {
    refuse(request, CommandAnswer::kHeld,
           fmt::format("user {}, process {} ({}), has the device; `haptic takeover` takes it",
                       holder_.uid, holder_.pid, holder_.client));
    return false;
  }
  return command.kind != CommandKind::kEngage || admit_engage(request);
}

// A virtual device exerts no force on a person. A real one is engaged only if a guard would release
// it in place of the daemon.
bool Supervisor::admit_engage(const Request& request) {
  if (!real_device_ || guarded_ || options_.unguarded) return true;
  refuse(request, CommandAnswer::kNoGuard, guard_.words());
  return false;
}

void Supervisor::note_operator(const Request& request) {
  const CommandKind kind = request.command.kind;
  if (kind == CommandKind::kRelease) {
    holder_ = OperatorRecord{};
  } else if (kind == CommandKind::kTakeover ||
             (kind == CommandKind::kEngage && holder_.since_ns == 0)) {
    holder_ = OperatorRecord{};
    holder_.since_ns = monotonic_ns();
    holder_.pid = request.from.pid;
    holder_.uid = request.from.uid;
    std::memcpy(holder_.client, request.command.client, sizeof holder_.client);
  } else {
    return;
  }
  scene_->telemetry().set_holder(holder_);
}

std::string Supervisor::resolve_pull(const Command& command, Pull& pull) const {
  if (command.subject[0] == '\0') return {};
  pull = pull_of(command.pull);
  return scene_->world().prepare_pull(command.subject, pull);
}

std::optional<ServoCommand> Supervisor::resolve(const Request& request) {
  const Command& command = request.command;
  ServoCommand asked;
  asked.kind = command.kind;
  if (command.deadline_ns != 0) asked.deadline_ns = command.deadline_ns;
  asked.epoch = command.epoch;
  if (command.kind != CommandKind::kSet && command.kind != CommandKind::kPull) return asked;
  if (change_.handing_over()) {  // it is not known to which scene the parameter belongs
    refuse(request, CommandAnswer::kBusy);
    return std::nullopt;
  }
  if (command.kind == CommandKind::kPull) {
    const std::string why = resolve_pull(command, asked.pull);
    if (why.empty()) return asked;
    refuse(request, CommandAnswer::kNotPulled, why);
    return std::nullopt;
  }
  const auto index = scene_->parameters().find(command.subject);
  if (!index) {
    refuse(request, CommandAnswer::kUnknownKey, scene_->world().why_absent(command.subject));
    return std::nullopt;
  }
  const World::Parameter& parameter = scene_->parameters().entries()[*index];
  const bool in_range = command.value >= parameter.minimum && command.value <= parameter.maximum;
  if (!in_range || (parameter.whole && std::floor(command.value) != command.value)) {
    refuse(request, CommandAnswer::kOutOfRange, parameter.whole ? "whole numbers" : "",
           parameter.minimum, parameter.maximum);
    return std::nullopt;
  }
  asked.parameter = *index;
  asked.value = command.value;
  return asked;
}

void Supervisor::refuse(const Request& request, CommandAnswer why, const std::string& text,
                        double minimum, double maximum) {
  CommandReply reply = reply_now(why, text);
  reply.minimum = minimum;
  reply.maximum = maximum;
  answer(request, reply);
}

void Supervisor::answer(const Request& request, const CommandReply& reply) {
  // First recorded: what a client has been told is in the events, also if the daemon is killed now.
  record_command(request.from, request.command, reply);
  server_.answer(request, reply);
}

CommandReply Supervisor::reply_now(CommandAnswer answer, const std::string& text) const {
  TelemetrySample now;
  CommandReply reply{answer, ServoState::kStarting, FaultKind::kNone, 0, 0.0, 0.0};
  if (reader_->newest(now)) {
    reply.state = now.record.state;
    reply.fault = now.record.fault;
    reply.cycle = now.record.cycle;
  }
  reply.epoch = channel_.epoch();
  copy_line(reply.text, text);
  return reply;
}

void Supervisor::record_command(const Peer& from, const Command& command,
                                const CommandReply& reply) {
  const bool applied = reply.answer == CommandAnswer::kApplied;
  Counters& counters = scene_->telemetry().statistics().counters;
  add_word(applied ? counters.commands_applied : counters.commands_refused, 1);

  write_line(from, command, reply);
  const std::int64_t now = monotonic_ns();
  if (!event_quota_.take(from.uid, reply.executed == 1, now)) return;

  EventRecord event{};
  event.time_ns = now;
  event.executed = reply.executed;
  event.cycle = reply.cycle;
  event.kind = EventKind::kCommand;
  event.command = command.kind;
  event.answer = reply.answer;
  event.pid = from.pid;
  event.uid = from.uid;
  event.value = command.value;
  std::memcpy(event.key, command.subject, sizeof event.key);
  event.pull = command.pull;
  std::memcpy(event.text, command.text, sizeof event.text);
  std::memcpy(event.client, command.client, sizeof event.client);
  scene_->telemetry().publish_event(event);
}

void Supervisor::write_line(const Peer& from, const Command& command, const CommandReply& reply) {
  const bool applied = reply.answer == CommandAnswer::kApplied;
  const auto i = static_cast<std::size_t>(command.kind) % told_commands_.size();
  message::OncePerSecond& line = applied ? told_commands_[i] : refused_commands_[i];
  std::string what(name(command.kind));
  if (command.subject[0] != '\0') what += fmt::format(" {}", command.subject);
  if (command.kind == CommandKind::kSet) what += fmt::format(" {:g}", command.value);
  if (command.text[0] != '\0') what += fmt::format(" {}", command.text);
  line.say(Priority::kInfo, "{} by user {}, process {} ({}): {}", what, from.uid, from.pid,
           command.client, reason(reply.answer));
}

void Supervisor::report_left_out(bool at_end) {
  const std::int64_t now = monotonic_ns();
  for (const EventQuota::LeftOut& left_out : event_quota_.collect(now)) {
    EventRecord event{};
    event.time_ns = now;
    event.cycle = newest_cycle();
    event.kind = EventKind::kLeftOut;
    event.uid = left_out.user;
    event.executed = left_out.has_executed ? 1 : 0;
    event.value = static_cast<double>(left_out.commands);
    scene_->telemetry().publish_event(event);
  }
  for (auto* lines : {&told_commands_, &refused_commands_}) {
    for (message::OncePerSecond& line : *lines) line.flush(at_end);
  }
  for (auto* line : {&told_faults_, &told_garbage_, &told_no_record_}) line->flush(at_end);
}

std::uint64_t Supervisor::newest_cycle() const {
  TelemetrySample now;
  return reader_->newest(now) ? now.record.cycle : 0;
}

// --home: the operator who started the daemon is at the device.
void Supervisor::home_at_start() {
  if (!home_wanted_ || pending_) return;
  TelemetrySample now;
  if (!reader_->newest(now)) return;
  if (now.record.state == ServoState::kIdle || now.record.state == ServoState::kFault) {
    home_wanted_ = false;
  } else if (now.record.state == ServoState::kHoming) {
    ServoCommand command;
    command.kind = CommandKind::kHome;
    if (!channel_.post(command)) return;
    home_wanted_ = false;
    pending_ = Request{kOwn, {}, {}};
  }
}

}  // namespace haptic
