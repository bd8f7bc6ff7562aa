#include "host/monitor/metrics_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <chrono>
#include <csignal>
#include <list>
#include <utility>

#include "shared/error.h"

namespace haptic {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Tcp = asio::ip::tcp;

constexpr std::uint32_t kMaxHeaderLength = 8192;
constexpr std::size_t kMaxClients = 16;
constexpr char kContentType[] = "text/plain; version=0.0.4; charset=utf-8";

Tcp::endpoint loopback_endpoint(const std::string& text) {
  const auto bad = [&text]() {
    return InputError("--listen", "", "found \"" + text + "\"",
                      "an address of the loopback interface and a port, as 127.0.0.1:9431");
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) throw bad();
  std::string address = text.substr(0, colon);
  if (address.size() > 2 && address.front() == '[' && address.back() == ']') {
    address = address.substr(1, address.size() - 2);
  }
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, port);
  if (error != std::errc() || stop != end) throw bad();
  boost::system::error_code failed;
  const asio::ip::address parsed = asio::ip::make_address(address, failed);
  if (failed || !parsed.is_loopback()) throw bad();
  return {parsed, port};
}

http::response<http::string_body> answer(const http::request<http::empty_body>& request,
                                         const std::function<std::string()>& page) {
  http::response<http::string_body> response(http::status::ok, request.version());
  response.set(http::field::content_type, kContentType);
  if (request.method() != http::verb::get && request.method() != http::verb::head) {
    response.result(http::status::method_not_allowed);
    response.set(http::field::allow, "GET, HEAD");
  } else if (request.target() == "/metrics") {
    response.body() = page();
  } else if (request.target() == "/") {
    response.body() = "haptic metrics: see /metrics\n";
  } else {
    response.result(http::status::not_found);
    response.body() = "not found: see /metrics\n";
  }
  response.keep_alive(false);
  response.prepare_payload();  // of HEAD too: the length that GET would have
  if (request.method() == http::verb::head) response.body().clear();
  return response;
}

/// One connection with one request; it owns itself until the answer is written.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Tcp::socket socket, std::chrono::milliseconds patience,
          const std::function<std::string()>& page, std::function<void()> when_done)
      : stream_(std::move(socket)),
        patience_(patience),
        page_(page),
        when_done_(std::move(when_done)) {
    parser_.header_limit(kMaxHeaderLength);
    parser_.body_limit(0);
  }
  ~Session() { when_done_(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Its request has not come yet.
  bool is_waiting() const { return waiting_; }
  void close() { stream_.close(); }

  void start() {
    stream_.expires_after(patience_);
    http::async_read(stream_, buffer_, parser_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) {
                       if (!error) self->write();
                     });
  }

 private:
  void write() {
    waiting_ = false;
    response_ = answer(parser_.get(), page_);
    stream_.expires_after(patience_);
    http::async_write(stream_, response_,
                      [self = shared_from_this()](beast::error_code, std::size_t) {
                        beast::error_code ignored;
                        self->stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
                      });
  }

  bool waiting_ = true;
  beast::tcp_stream stream_;
  std::chrono::milliseconds patience_;
  const std::function<std::string()>& page_;
  std::function<void()> when_done_;
  beast::flat_buffer buffer_{kMaxHeaderLength};
  http::request_parser<http::empty_body> parser_;
  http::response<http::string_body> response_;
};

}  // namespace

class MetricsServer::Listener {
 public:
  Listener(const std::string& address, std::function<std::string()> page,
           std::chrono::milliseconds patience)
      : page_(std::move(page)),
        patience_(patience),
        acceptor_(context_),
        pause_(context_),
        signals_(context_) {
    const Tcp::endpoint endpoint = loopback_endpoint(address);
    beast::error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      throw OperationError(fmt::format("{}: cannot listen: {}", address, error.message()));
    }
  }

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

  void run() {
    signals_.add(SIGINT);
    signals_.add(SIGTERM);
    signals_.async_wait([this](beast::error_code error, int) {
      if (!error) context_.stop();
    });
    accept();
    context_.run();
  }

  void stop() { context_.stop(); }

 private:
  void accept() {
    accepting_ = true;
    acceptor_.async_accept([this](beast::error_code error, Tcp::socket socket) {
      accepting_ = false;
      if (error) return accept_later();
      if (sessions_.size() >= kMaxClients) drop_oldest();
      const auto session =
          std::make_shared<Session>(std::move(socket), patience_, page_, [this] { left(); });
      sessions_.push_back(session);
      session->start();
      if (may_accept()) accept();
    });
  }

  std::list<std::weak_ptr<Session>>::iterator oldest_waiting() {
    return std::ranges::find_if(sessions_, [](const std::weak_ptr<Session>& weak) {
      const auto session = weak.lock();
      return session == nullptr || session->is_waiting();
    });
  }

  /// Clients who send no request must not keep out those who do.
  bool may_accept() {
    return sessions_.size() < kMaxClients || oldest_waiting() != sessions_.end();
  }

  void drop_oldest() {
    const auto oldest = oldest_waiting();
    if (oldest == sessions_.end()) return;
    if (const auto session = oldest->lock()) session->close();
    sessions_.erase(oldest);
  }

  /// The process has no descriptor left, or the system no memory.
  void accept_later() {
    accepting_ = true;
    pause_.expires_after(std::chrono::milliseconds(200));
    pause_.async_wait([this](beast::error_code error) {
      accepting_ = false;
      if (!error) accept();
    });
  }

  void left() {
    sessions_.remove_if([](const std::weak_ptr<Session>& weak) { return weak.expired(); });
    if (!accepting_ && !context_.stopped()) accept();
  }

  std::function<std::string()> page_;
  std::chrono::milliseconds patience_;
  std::list<std::weak_ptr<Session>> sessions_;  // oldest first
  bool accepting_ = false;
  asio::io_context context_;
  Tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  asio::signal_set signals_;
};

MetricsServer::MetricsServer(const std::string& address, std::function<std::string()> page,
                             std::chrono::milliseconds patience)
    : listener_(std::make_unique<Listener>(address, std::move(page), patience)) {}
MetricsServer::~MetricsServer() = default;

std::uint16_t MetricsServer::port() const {
  return listener_->port();
}
void MetricsServer::run() {
  listener_->run();
}
void MetricsServer::stop() {
  listener_->stop();
}

}  // namespace haptic
