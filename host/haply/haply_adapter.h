#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "host/haply/haply_messages.h"
#include "shared/ipc/external_link.h"

namespace haptic {

struct HaplyOptions {
  std::string link = "haply-inverse3";
  std::string host = "127.0.0.1";
  std::uint16_t port = 10001;
  std::string device_id;            ///< empty: the first Inverse3
  double rate_hz = 1000.0;          ///< of messages
  double silence_s = 0.1;           ///< without an answer: the connection counts as lost
  Vector3 centre{0.0, 0.16, 0.14};  ///< origin of the device frame, from the base [m]
  HaplyForceKey force_key = HaplyForceKey::kValues;
  bool grip = true;  ///< false: no VerseGrip, the orientation is the identity
};

/// The adapter between the Haply Inverse Service and hapticd, in one thread. Each message to the
/// service sets a force and is answered with the state, so one exchange of both is one turn. A
/// service that is late, silent, gone, sends garbage or takes no messages is the flag
/// HAPTIC_LINK_ERROR on the link, and is looked for every second. A force counts as applied only
/// once the service has read its message and answered it. No daemon: force zero.
class HaplyAdapter {
 public:
  explicit HaplyAdapter(const HaplyOptions& options);
  HaplyAdapter(const HaplyAdapter&) = delete;
  HaplyAdapter& operator=(const HaplyAdapter&) = delete;
  ~HaplyAdapter();

  /// Until a signal that ends programs and can be handled; then a last message sets the force to
  /// zero.
  void run();

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Session;
  enum class Phase : std::uint8_t { kAbsent, kConnecting, kReady, kAsked, kLeaving };

  void tick();
  void tend_link(Time now);
  void connect();
  void read(const std::shared_ptr<Session>& session);
  void take(std::string_view text);
  void send(const Vector3& force);
  void lose(const std::string& why);
  void publish_error();
  void say(const std::string& line);
  Time now() const { return std::chrono::steady_clock::now(); }

  HaplyOptions options_;
  boost::asio::io_context io_;
  boost::asio::signal_set signals_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<Session> session_;
  Phase phase_ = Phase::kAbsent;
  bool stopping_ = false, introduced_ = false;
  bool awaits_ = false;  // the service has not taken a message that was sent at since_ or later
  Time since_{}, heard_{}, unasked_{}, retry_{}, link_retry_{}, next_say_{};
  std::int64_t asked_ns_ = 0;
  HaplyState state_;
  bool have_state_ = false;
  bool turned_ = false;  // last_orientation_ is valid
  Quaternion last_orientation_{1.0, 0.0, 0.0, 0.0};
  std::int64_t last_ns_ = 0;
  haptic_link link_{};
  bool linked_ = false, told_link_ = false, told_connected_ = false, told_absent_ = false;
};

}  // namespace haptic
