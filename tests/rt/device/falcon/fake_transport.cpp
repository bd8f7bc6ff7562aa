#include "tests/rt/device/falcon/fake_transport.h"

#include <algorithm>
#include <utility>

namespace haptic {
namespace {

constexpr std::int64_t kMicrosecond = 1000;
constexpr std::int64_t kControlTime = 300 * kMicrosecond, kWriteTime = 20 * kMicrosecond;
constexpr std::int64_t kAnswerTime = 900 * kMicrosecond;  // two packets at 1.5 Mbaud, one frame
constexpr std::int64_t kLateBy = 15 * kMillisecond;

}  // namespace

UsbStatus FakeTransport::open() {
  advance(now_ns_ + kMillisecond);
  ++opens_;
  if (open_answers != UsbStatus::kOk) return open_answers;
  if (!plugged()) return UsbStatus::kAbsent;
  open_ = true;
  broken_ = false;
  inbox_.clear();
  return UsbStatus::kOk;
}

void FakeTransport::close() {
  open_ = false;
  inbox_.clear();
}

BusFault FakeTransport::fault() const {
  for (const Fault& fault : faults_) {
    if (now_ns_ >= fault.from_ns && now_ns_ < fault.to_ns) return fault.kind;
  }
  return BusFault::kNone;
}

void FakeTransport::freeze() {
  for (const Fault& fault : faults_) {
    if (fault.kind == BusFault::kFrozen && now_ns_ >= fault.from_ns) advance(fault.to_ns);
  }
}

// A handle whose device was unplugged stays invalid when the device returns.
bool FakeTransport::gone() {
  broken_ = broken_ || !plugged();
  return !open_ || broken_;
}

UsbStatus FakeTransport::control(std::uint8_t request, std::uint16_t value) {
  advance(now_ns_ + kControlTime);
  if (gone()) return UsbStatus::kLost;
  requests.emplace_back(request, value);
  if (request == 0 &&
      value == 1) {  // purge: what the chip still holds is gone, as is what is queued
    std::erase_if(inbox_, [this](const Coming& c) { return c.due_ns > now_ns_; });
  }
  return device_.control(request, value) ? UsbStatus::kOk : UsbStatus::kRefused;
}

UsbStatus FakeTransport::write(std::span<const std::uint8_t> bytes, std::int64_t deadline_ns) {
  freeze();
  advance(now_ns_ + kWriteTime);
  if (gone()) return UsbStatus::kLost;
  const BusFault kind = fault();
  if (kind == BusFault::kStuckWrite) {
    advance(deadline_ns);
    return gone() ? UsbStatus::kLost : UsbStatus::kTimeout;
  }
  if (kind == BusFault::kHung) return UsbStatus::kOk;
  if (kind == BusFault::kUnpowered) {
    device_.power_cycle();
    return UsbStatus::kOk;
  }
  answer(device_.receive(bytes));
  return UsbStatus::kOk;
}

void FakeTransport::answer(std::vector<std::uint8_t> bytes) {
  if (bytes.empty()) return;
  const BusFault kind = fault();
  std::int64_t due = now_ns_ + kAnswerTime;
  switch (kind) {
    case BusFault::kMissing:
      return;
    case BusFault::kShort:
      bytes.resize(std::min<std::size_t>(bytes.size(), 5));
      break;
    case BusFault::kGarbled:
      bytes[bytes.size() / 2] = 0x7E;
      break;
    case BusFault::kLate:
      due += kLateBy;
      break;
    case BusFault::kMisaligned:
      bytes.insert(bytes.begin(), {'C', '>', '<', 'D', 'E'});
      break;
    case BusFault::kTwice: {
      const std::vector<std::uint8_t> once = bytes;
      bytes.insert(bytes.end(), once.begin(), once.end());
      break;
    }
    case BusFault::kEcho:
      if (bytes.size() > 40) bytes[40] = static_cast<std::uint8_t>(bytes[40] ^ 0x10);
      break;
    default:
      break;
  }
  for (std::size_t at = 0; at < bytes.size(); at += 62) {
    Coming coming{due, {}};
    coming.packet.bytes[0] = 0x01;
    coming.packet.bytes[1] = 0x60;
    const std::size_t size = std::min<std::size_t>(62, bytes.size() - at);
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), size,
                coming.packet.bytes.begin() + 2);
    coming.packet.length = kind == BusFault::kStatusless ? 1 : 2 + size;
    inbox_.push_back(coming);
    due += 60 * kMicrosecond;
  }
}

UsbStatus FakeTransport::read(UsbPacket& packet, std::int64_t deadline_ns) {
  freeze();
  if (gone()) return UsbStatus::kLost;
  const bool silent = fault() == BusFault::kHung || fault() == BusFault::kStuckWrite;
  const auto next =
      std::min_element(inbox_.begin(), inbox_.end(),
                       [](const Coming& a, const Coming& b) { return a.due_ns < b.due_ns; });
  const std::int64_t idle = now_ns_ + kMillisecond;
  if (!silent && next != inbox_.end() && next->due_ns <= std::max(deadline_ns, now_ns_) &&
      (next->due_ns <= idle || !idle_status)) {
    packet = next->packet;
    const std::int64_t due = next->due_ns;
    inbox_.erase(next);
    advance(std::max(now_ns_, due));
  } else if (!silent && idle_status && idle <= deadline_ns) {
    packet.length = 2;
    packet.bytes[0] = 0x01;
    packet.bytes[1] = 0x60;
    advance(idle);
  } else {
    // Looking takes time, too: a driver that polls must not stop the clock.
    advance(std::max(now_ns_ + kMicrosecond, deadline_ns));
    return gone() ? UsbStatus::kLost : UsbStatus::kTimeout;
  }
  return gone() ? UsbStatus::kLost : UsbStatus::kOk;
}

void FakeTransport::every(std::int64_t period_ns, std::function<void()> tick) {
  period_ns_ = period_ns;
  next_tick_ns_ = now_ns_ + period_ns;
  tick_ = std::move(tick);
}

void FakeTransport::advance(std::int64_t to_ns) {
  while (tick_ && !ticking_ && next_tick_ns_ <= to_ns) {
    now_ns_ = std::max(now_ns_, next_tick_ns_);
    next_tick_ns_ += period_ns_;
    ticking_ = true;
    tick_();
    ticking_ = false;
  }
  now_ns_ = std::max(now_ns_, to_ns);
}

}  // namespace haptic
