#include "rt/device/falcon/link.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace haptic {
namespace {

std::int64_t nanoseconds(double seconds) {
  return std::llround(1e9 * seconds);
}

// A request that timed out may be answered late. Two requests would then stay in flight for ever,
// and the torque would be one round trip older. So the link pauses once after an answer, when no
// late answer can arrive any more: whatever arrives in the pause belongs to the other request.
constexpr std::int64_t kSettle = 3'000'000;
constexpr std::int64_t kLongAgo = std::numeric_limits<std::int64_t>::min() / 2;
constexpr std::int64_t kRetrySlice = 50'000'000;  // bounds how long a stop waits

}  // namespace

FalconLink::FalconLink(FalconTransport& transport, FalconExchange& exchange,
                       std::vector<std::uint8_t> firmware, const FalconTimes& times,
                       const std::atomic<bool>& stop)
    : transport_(transport),
      exchange_(exchange),
      firmware_(std::move(firmware)),
      reply_ns_(nanoseconds(times.reply)),
      hang_ns_(nanoseconds(times.hang)),
      command_ns_(nanoseconds(times.command)),
      retry_ns_(nanoseconds(times.retry)),
      stop_(stop),
      line_(transport, counters_) {}

FalconStart FalconLink::connect(UsbStatus& opened) {
  publish(FalconLinkState::kAbsent);
  opened = transport_.open();
  if (opened != UsbStatus::kOk) return FalconStart::kUsb;
  publish(FalconLinkState::kStarting);
  FalconReport report;
  const FalconStart start = FalconBringUp(line_, firmware_, stop_).run(report);
  if (start != FalconStart::kRunning) {
    transport_.close();
    publish(FalconLinkState::kAbsent);
    return start;
  }
  ++counters_.connections;
  status_.reports = 0;
  status_.state = FalconLinkState::kRunning;
  skipped_before_ += reader_.skipped_bytes();
  reader_ = FalconPacketReader();
  awaiting_ = owed_ = false;
  quiet_until_ns_ = 0;
  asked_torque_ = false;
  exchange_.orders.update();  // orders from before are obsolete
  order_ns_ = kLongAgo;
  hear(report);
  return start;
}

void FalconLink::beat() {
  exchange_.beat_ns.store(transport_.now_ns(), std::memory_order_release);
}

std::int64_t FalconLink::clamp_to_heartbeat(std::int64_t deadline_ns) {
  beat();
  return std::min(deadline_ns, transport_.now_ns() + nanoseconds(kFalconBeat_s));
}

void FalconLink::turn() {
  beat();
  if (running()) {
    exchange_packets();
    return;
  }
  UsbStatus opened = UsbStatus::kOk;
  if (connect(opened) == FalconStart::kRunning) return;
  const std::int64_t again = transport_.now_ns() + retry_ns_;
  while (!stop_ && transport_.now_ns() < again) {
    transport_.sleep_until(std::min(again, transport_.now_ns() + kRetrySlice));
  }
}

void FalconLink::exchange_packets() {
  UsbStatus status = UsbStatus::kOk;
  if (!awaiting_ && transport_.now_ns() >= quiet_until_ns_) status = send_order();
  if (status == UsbStatus::kOk) {
    std::span<const std::uint8_t> bytes;
    const std::int64_t deadline = awaiting_ ? sent_ns_ + reply_ns_ : quiet_until_ns_;
    status = line_.receive(bytes, clamp_to_heartbeat(deadline));
    beat();
    // The time-out of a beat is not the time-out of the reply.
    if (status == UsbStatus::kTimeout && transport_.now_ns() < deadline) status = UsbStatus::kOk;
    for (const std::uint8_t byte : bytes) {
      if (const auto report = reader_.push(byte)) hear(*report);
    }
  }
  if (status == UsbStatus::kTimeout && awaiting_) {
    ++counters_.missing;
    awaiting_ = false;
    owed_ = true;
    settle_ns_ = transport_.now_ns() + hang_ns_;
    status = UsbStatus::kOk;
  }
  const bool hangs = transport_.now_ns() - heard_ns_ > hang_ns_;
  if (hangs || (status != UsbStatus::kOk && status != UsbStatus::kTimeout)) lose(hangs);
}

UsbStatus FalconLink::send_order() {
  const std::int64_t now = transport_.now_ns();
  if (exchange_.orders.update()) order_ns_ = now;
  const FalconOrder& order = exchange_.orders.newest();
  FalconCommand command;
  command.leds = order.leds;
  if (now - order_ns_ <= command_ns_) {
    command.motors = order.motors;
  } else {
    ++counters_.stale_commands;
  }
  asked_torque_ = command.motors != std::array<std::int16_t, 3>{};
  if (asked_torque_) exchange_.torque.store(true, std::memory_order_release);
  const FalconPacket packet = encode(command);
  const std::int64_t deadline = now + reply_ns_;
  UsbStatus status = UsbStatus::kTimeout;
  // A packet that timed out was not accepted, because the one before it has not been sent yet.
  while (status == UsbStatus::kTimeout && transport_.now_ns() < deadline) {
    status = line_.send(packet, clamp_to_heartbeat(deadline));
  }
  beat();
  sent_ns_ = now;
  awaiting_ = true;  // also if the write timed out: then the reply times out too
  return status == UsbStatus::kTimeout ? UsbStatus::kOk : status;
}

void FalconLink::hear(const FalconReport& report) {
  beat();
  heard_ns_ = transport_.now_ns();
  if (owed_ && heard_ns_ >= settle_ns_) {
    quiet_until_ns_ = heard_ns_ + kSettle;
    owed_ = false;
  }
  awaiting_ = false;
  if (!asked_torque_ && !owed_) exchange_.torque.store(false, std::memory_order_release);
  ++counters_.exchanges;
  ++status_.reports;
  status_.report = report;
  status_.time_ns = heard_ns_;
  publish(FalconLinkState::kRunning);
}

// The loss is reported before it is handled, since a reset and a close may take long.
void FalconLink::lose(bool hangs) {
  ++counters_.losses;
  publish(FalconLinkState::kAbsent);
  if (hangs) transport_.reset();
  transport_.close();
}

void FalconLink::shut_down() {
  if (running()) {
    const std::int64_t deadline = transport_.now_ns() + 2 * reply_ns_;
    UsbStatus status = line_.send(encode(FalconCommand{}), deadline);
    // The reply confirms that the packet arrived; closing at once would cancel the transfer.
    std::span<const std::uint8_t> bytes;
    while (status == UsbStatus::kOk) status = line_.receive(bytes, deadline);
  }
  transport_.close();
  publish(FalconLinkState::kAbsent);
}

void FalconLink::publish(FalconLinkState state) {
  status_.state = state;
  counters_.skipped_bytes = skipped_before_ + reader_.skipped_bytes();
  status_.counters = counters_;
  exchange_.status.draft() = status_;
  exchange_.status.publish();
}

}  // namespace haptic
