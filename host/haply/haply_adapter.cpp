#include "host/haply/haply_adapter.h"

#include <fmt/format.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <functional>
#include <utility>

#include "host/haply/unread_bytes.h"
#include "shared/ipc/external_link_open.h"
#include "shared/printable.h"
#include "shared/terminal_stops.h"

namespace haptic {
namespace {

namespace asio = boost::asio;
namespace websocket = boost::beast::websocket;
using namespace std::chrono_literals;
using Failure = boost::system::error_code;

constexpr auto kAgain = 1s;            // between two attempts to reach the service or hapticd
constexpr auto kConnectPatience = 2s;  // also for the inventory
constexpr int kLinkPatience_ms = 50;
constexpr std::size_t kMaxMessage = 1 << 20;

}  // namespace

/// One connection to the service; its handlers keep it alive.
struct HaplyAdapter::Session {
  explicit Session(asio::io_context& io) : stream(io) { stream.read_message_max(kMaxMessage); }
  websocket::stream<asio::ip::tcp::socket> stream;
  boost::beast::flat_buffer buffer;
  std::string outgoing;
  bool writing = false;  ///< `outgoing` has not left yet
  UnreadBytes unread;

  /// Whether the service has read every byte that was sent, as far as the kernel can tell: of a
  /// service on another machine, whether its side has acknowledged them.
  bool has_read_all() {
    const int socket = boost::beast::get_lowest_layer(stream).native_handle();
    int left = 0;
    return !writing && ioctl(socket, SIOCOUTQ, &left) == 0 && left == 0 &&
           unread.of_peer(socket).value_or(0) == 0;
  }
};

HaplyAdapter::HaplyAdapter(const HaplyOptions& options)
    : options_(options), signals_(io_), timer_(io_) {
  // A signal that ended the program would leave the device with its last force; so would Ctrl-Z.
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2, SIGALRM,
                           SIGVTALRM, SIGPROF, SIGIO, SIGPWR}) {
    signals_.add(signal);
  }
  std::signal(SIGPIPE, SIG_IGN);
  ignore_terminal_stops();
  link_.socket = -1;
  signals_.async_wait([this](Failure failure, int) {
    if (!failure) stopping_ = true;
  });
}

HaplyAdapter::~HaplyAdapter() {
  if (linked_) haptic_link_close(&link_);
}

void HaplyAdapter::run() {
  const auto period = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(1.0 / options_.rate_hz));
  Time next = now();
  std::function<void(Failure)> turn = [&](Failure) {
    tick();
    if (stopping_ && (phase_ == Phase::kAbsent || phase_ == Phase::kConnecting)) {
      io_.stop();
      return;
    }
    next = std::max(next + period, now());  // missed slots are skipped
    timer_.expires_at(next);
    timer_.async_wait(turn);
  };
  turn({});
  io_.run();
}

void HaplyAdapter::tick() {
  const Time t = now();
  tend_link(t);
  switch (phase_) {
    case Phase::kAbsent:
      if (t >= retry_ && !stopping_) connect();
      publish_error();
      return;
    case Phase::kConnecting:
      if (t - since_ > kConnectPatience) lose("does not answer");
      publish_error();
      return;
    case Phase::kAsked:
    case Phase::kLeaving:
    case Phase::kReady: {
      const std::chrono::duration<double> silence(options_.silence_s);
      if (awaits_ && t - since_ > silence) {
        return lose(t - heard_ > silence ? "is silent" : "takes no messages");
      }
      if (phase_ != Phase::kReady) return;
      haptic_link_wrench wrench{};
      if (stopping_) {
        if (linked_) link_.zero = 1;
      } else if (linked_) {
        haptic_link_wrench_now(&link_, &wrench);
      }
      return send({wrench.force[0], wrench.force[1], wrench.force[2]});
    }
  }
}

void HaplyAdapter::tend_link(Time t) {
  if (t < link_retry_) return;
  link_retry_ = t + kAgain;
  if (linked_ && !haptic_link_is_lost(&link_)) return;
  if (linked_) {
    say("hapticd has gone");
    haptic_link_close(&link_);
    linked_ = told_link_ = false;
  }
  linked_ = haptic_link_open_as(&link_, options_.link.c_str(), HAPTIC_LINK_ADAPTER,
                                kLinkPatience_ms) == 0;
  if (linked_) say("linked to hapticd");
  if (!linked_ && !told_link_) say(fmt::format("{}; waiting", link_.problem));
  told_link_ = true;
}

void HaplyAdapter::connect() {
  phase_ = Phase::kConnecting;
  since_ = now();
  introduced_ = awaits_ = false;
  unasked_ = {};
  const auto session = session_ = std::make_shared<Session>(io_);
  Failure failure;
  const auto address = asio::ip::make_address(options_.host, failure);
  auto& socket = boost::beast::get_lowest_layer(session->stream);
  socket.async_connect({address, options_.port}, [this, session](Failure refused) {
    if (session != session_) return;
    if (refused) return lose(refused.message());
    Failure ignored;
    boost::beast::get_lowest_layer(session->stream)
        .set_option(asio::ip::tcp::no_delay(true), ignored);
    session->stream.async_handshake(fmt::format("{}:{}", options_.host, options_.port), "/",
                                    [this, session](Failure foreign) {
                                      if (session != session_) return;
                                      if (foreign) return lose(foreign.message());
                                      read(session);
                                    });
  });
}

void HaplyAdapter::read(const std::shared_ptr<Session>& session) {
  session->stream.async_read(session->buffer, [this, session](Failure failure, std::size_t) {
    if (session != session_) return;
    if (failure) return lose(failure.message());
    const auto data = session->buffer.cdata();
    take({static_cast<const char*>(data.data()), data.size()});
    session->buffer.consume(session->buffer.size());
    if (session == session_) read(session);
  });
}

// The answer to a message, or the inventory that comes before the first one. A state that comes
// unasked, or before the message has left, answers nothing; nor do those that follow it soon.
void HaplyAdapter::take(std::string_view text) {
  const bool asked = phase_ == Phase::kAsked || phase_ == Phase::kLeaving;
  const bool answers = asked && !session_->writing;
  heard_ = now();
  if (!answers && phase_ != Phase::kConnecting) {
    unasked_ = heard_;
    return;
  }
  const bool taken = answers && session_->has_read_all() &&
                     heard_ - unasked_ > std::chrono::duration<double>(0.5 * options_.silence_s);
  if (taken) awaits_ = false;
  const std::int64_t measured_ns = answers ? asked_ns_ : haptic_link_clock_ns();
  const std::string wrong = read_haply_state(text, options_.device_id, state_);
  if (wrong.empty()) have_state_ = true;
  // The service has taken the force of the message that it answers.
  if (taken && linked_ && wrong.empty()) haptic_link_applied(&link_);
  if (taken && phase_ == Phase::kLeaving) return lose("");
  if (!wrong.empty() || (options_.grip && !state_.has_grip)) {
    say(fmt::format("state of the service: {}",
                    wrong.empty() ? "no VerseGrip is connected (see --no-grip)" : wrong));
    turned_ = false;
    publish_error();
    // Without a device no message can be addressed: the service is asked anew.
    if (!have_state_) return lose("");
  } else {
    // A service that sends its inventory and no answer is told once.
    if (answers && !told_connected_) {
      say(fmt::format("connected to Inverse3 {}", state_.device_id));
      told_connected_ = true;
      told_absent_ = false;
    }
    haptic_link_pose pose{};
    pose.time_ns = measured_ns;
    pose.flags = HAPTIC_LINK_HOMED;
    pose.buttons = state_.buttons;
    const Quaternion q = options_.grip ? state_.orientation : Quaternion::Identity();
    const double elapsed = 1e-9 * static_cast<double>(measured_ns - last_ns_);
    // The service gives no angular velocity: the difference of two orientations.
    Vector3 spin = Vector3::Zero();
    if (turned_ && elapsed > 0.0) {
      spin =
          rotation_logarithm(to_positive_hemisphere(q * last_orientation_.conjugate())) / elapsed;
    }
    last_orientation_ = q;
    last_ns_ = measured_ns;
    turned_ = true;
    const double orientation[] = {q.w(), q.x(), q.y(), q.z()};
    for (int i = 0; i < 4; ++i) pose.orientation[i] = orientation[i];
    for (int i = 0; i < 3; ++i) {
      pose.position[i] = state_.position[i] - options_.centre[i];
      pose.velocity[i] = state_.velocity[i];
      pose.angular_velocity[i] = spin[i];
    }
    if (linked_) haptic_link_publish(&link_, &pose);
  }
  phase_ = Phase::kReady;
}

void HaplyAdapter::send(const Vector3& force) {
  const auto session = session_;
  session->outgoing = haply_force_message(state_.device_id, force, options_.force_key,
                                          introduced_ ? "" : "hapticd:haptic-haply");
  introduced_ = true;
  phase_ = stopping_ ? Phase::kLeaving : Phase::kAsked;
  if (!awaits_) since_ = now();
  awaits_ = session->writing = true;
  asked_ns_ = haptic_link_clock_ns();
  session->stream.text(true);
  session->stream.async_write(asio::buffer(session->outgoing),
                              [this, session](Failure failure, std::size_t) {
                                session->writing = false;
                                if (session == session_ && failure) lose(failure.message());
                              });
}

void HaplyAdapter::lose(const std::string& why) {
  if (!why.empty() && !told_absent_) {
    say(fmt::format("service at {}:{}: {}; trying again", options_.host, options_.port, why));
    told_absent_ = true;
  }
  if (session_) {
    Failure ignored;
    boost::beast::get_lowest_layer(session_->stream).close(ignored);
  }
  session_.reset();
  phase_ = Phase::kAbsent;
  have_state_ = turned_ = told_connected_ = false;
  retry_ = now() + kAgain;
  publish_error();
}

void HaplyAdapter::publish_error() {
  if (!linked_) return;
  haptic_link_pose pose{};
  pose.flags = HAPTIC_LINK_ERROR;
  haptic_link_publish(&link_, &pose);
}

// What happens once is said at once; what may happen in every turn, once a second.
void HaplyAdapter::say(const std::string& line) {
  const Time t = now();
  if (t < next_say_ && line.starts_with("state")) return;
  if (line.starts_with("state")) next_say_ = t + 1s;
  // Without a reader this fails, and the device goes on.
  std::fputs(fmt::format("haptic-haply: {}\n", printable(line)).c_str(), stderr);
}

}  // namespace haptic
