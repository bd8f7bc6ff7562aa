#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/device/falcon/bring_up.h"
#include "rt/device/falcon/exchange.h"
#include "rt/device/falcon/packet.h"
#include "rt/device/falcon/serial_line.h"
#include "rt/device/falcon/transport.h"

namespace haptic {

/// Times of the link [s].
struct FalconTimes {
  double reply = 0.01;    ///< a request without a reply for so long is sent again
  double hang = 0.05;     ///< no reply for so long: the device hangs, the link is lost
  double command = 0.01;  ///< an order older than this is sent as zero torque
  double retry = 0.25;    ///< between two attempts to connect
};

/// The I/O side of the driver: owns the bus, requests one packet after the other as fast as the
/// device answers, and searches for the device while it is absent. Runs on a separate thread (the
/// bus allocates and blocks), or step by step in a test; the servo communicates with it through a
/// FalconExchange.
///
/// Torque is sent only while the servo keeps giving orders: a stale order is sent as zero torque.
class FalconLink {
 public:
  /// @param firmware  image, empty if there is none; transport, exchange and stop outlive the link
  FalconLink(FalconTransport& transport, FalconExchange& exchange,
             std::vector<std::uint8_t> firmware, const FalconTimes& times,
             const std::atomic<bool>& stop);

  /// One attempt: open, handshake, upload if needed.
  /// @param opened  how open() ended  @returns how the start ended; kUsb if open() failed
  FalconStart connect(UsbStatus& opened);

  /// One step: a request and its reply or, while the device is absent, an attempt to connect and
  /// the wait after it.
  void turn();

  /// Sends a last zero torque if the device still answers, then releases the bus.
  void shut_down();

  bool running() const { return status_.state == FalconLinkState::kRunning; }
  const FalconCounters& counters() const { return counters_; }

 private:
  void exchange_packets();
  UsbStatus send_order();
  void hear(const FalconReport& report);
  void lose(bool hangs);
  void beat();
  std::int64_t clamp_to_heartbeat(std::int64_t deadline_ns);
  void publish(FalconLinkState state);

  FalconTransport& transport_;
  FalconExchange& exchange_;
  std::vector<std::uint8_t> firmware_;
  std::int64_t reply_ns_, hang_ns_, command_ns_, retry_ns_;
  const std::atomic<bool>& stop_;

  FalconCounters counters_;
  FalconSerialLine line_;
  FalconPacketReader reader_;
  std::uint64_t skipped_before_ = 0;  // by readers of links that were lost
  FalconStatus status_;
  std::int64_t order_ns_ = 0;  // when the newest order was taken over
  std::int64_t sent_ns_ = 0;   // newest request
  std::int64_t heard_ns_ = 0;  // newest reply
  std::int64_t quiet_until_ns_ = 0;
  std::int64_t settle_ns_ = 0;  // time after which no late answer can arrive
  bool awaiting_ = false;       // a reply to the newest request
  bool asked_torque_ = false;   // the newest request had torque
  bool owed_ = false;           // a reply that timed out may still arrive
};

}  // namespace haptic
