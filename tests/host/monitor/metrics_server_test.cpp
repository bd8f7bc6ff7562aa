#include "host/monitor/metrics_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "shared/error.h"

namespace haptic {
namespace {

class MetricsServerTest : public testing::Test {
 protected:
  ~MetricsServerTest() override {
    server_.stop();
    thread_.join();
  }

  int connected() const {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server_.port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    return fd;
  }

  /// All that the server says to these bytes until it closes the connection.
  std::string reply(const std::string& request) const {
    const int fd = connected();
    EXPECT_EQ(send(fd, request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
    std::string text;
    char piece[4096];
    for (ssize_t n = 0; (n = read(fd, piece, sizeof(piece))) > 0;) text.append(piece, piece + n);
    close(fd);
    return text;
  }

  std::atomic<int> pages_{0};
  MetricsServer server_{"127.0.0.1:0", [this] { return "page " + std::to_string(++pages_) + "\n"; },
                        std::chrono::minutes(1)};
  std::thread thread_{[this] { server_.run(); }};
};

TEST_F(MetricsServerTest, each_request_gets_a_page_of_its_own) {
  for (int i = 1; i <= 3; ++i) {
    const std::string text = reply("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(text.find("HTTP/1.1 200 OK\r\n"), 0u) << text;
    EXPECT_NE(text.find("Content-Type: text/plain; version=0.0.4"), std::string::npos);
    EXPECT_NE(text.find("\r\n\r\npage " + std::to_string(i) + "\n"), std::string::npos) << text;
  }
}

TEST_F(MetricsServerTest, head_has_the_length_and_no_body) {
  const std::string text = reply("HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_NE(text.find("Content-Length: 7\r\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("page"), std::string::npos);
}

TEST_F(MetricsServerTest, other_requests_are_refused_without_a_page) {
  EXPECT_EQ(reply("GET /other HTTP/1.1\r\n\r\n").find("HTTP/1.1 404"), 0u);
  EXPECT_EQ(reply("DELETE /metrics HTTP/1.1\r\n\r\n").find("HTTP/1.1 405"), 0u);
  EXPECT_NE(reply("GET / HTTP/1.1\r\n\r\n").find("/metrics"), std::string::npos);
  EXPECT_EQ(reply("garbage\r\n\r\n"), "");
  EXPECT_EQ(reply("GET /metrics HTTP/1.1\r\nX: " + std::string(9000, 'x') + "\r\n\r\n"), "");
  EXPECT_EQ(reply("GET /metrics HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"), "");
  EXPECT_EQ(pages_, 0);
}

/// More than it serves at once connect, say nothing and leave; then it serves again.
TEST_F(MetricsServerTest, silent_clients_do_not_wear_it_out) {
  std::vector<int> silent;
  for (int i = 0; i < 40; ++i) silent.push_back(connected());
  for (const int fd : silent) close(fd);
  EXPECT_EQ(reply("GET /metrics HTTP/1.1\r\n\r\n").find("HTTP/1.1 200 OK"), 0u);
}

/// As many as it serves at once stay, each with half a request. One that sends a whole one takes
/// the place of the oldest; the others are there when it has its answer, so it did not wait for
/// their end.
TEST_F(MetricsServerTest, half_requests_do_not_keep_a_whole_one_waiting) {
  std::vector<int> half;
  for (int i = 0; i < 16; ++i) {
    half.push_back(connected());
    EXPECT_EQ(send(half.back(), "GET /metrics", 12, MSG_NOSIGNAL), 12);
  }
  EXPECT_EQ(reply("GET /metrics HTTP/1.1\r\n\r\n").find("HTTP/1.1 200 OK"), 0u);
  char first = 0;
  EXPECT_LE(read(half.front(), &first, 1), 0);
  EXPECT_EQ(send(half.back(), " HTTP/1.1\r\n\r\n", 13, MSG_NOSIGNAL), 13);
  EXPECT_EQ(read(half.back(), &first, 1), 1);
  for (const int fd : half) close(fd);
}

TEST_F(MetricsServerTest, a_port_in_use_is_an_error_with_its_name) {
  const std::string address = "127.0.0.1:" + std::to_string(server_.port());
  try {
    MetricsServer(address, [] { return std::string(); });
    FAIL();
  } catch (const OperationError& error) {
    EXPECT_EQ(std::string(error.what()).find(address + ": cannot listen: "), 0u) << error.what();
  }
}

TEST(MetricsServerAddress, only_the_loopback_interface_is_listened_on) {
  for (const char* const address :
       {"0.0.0.0:9431", "192.168.1.2:9431", "[::]:9431", "localhost:9431", "9431", "127.0.0.1",
        "127.0.0.1:", "127.0.0.1:70000", "127.0.0.1:94x", "127.0.0.1:-1", "", ":"}) {
    EXPECT_THROW(MetricsServer(address, [] { return std::string(); }), InputError) << address;
  }
}

}  // namespace
}  // namespace haptic
