#include "host/haply/unread_bytes.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace haptic {
namespace {

TEST(UnreadBytes, are_those_that_the_other_end_has_not_read) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  socklen_t size = sizeof address;
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const int own = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(connect(own, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const int peer = accept(listener, nullptr, nullptr);
  const UnreadBytes unread;
  if (!unread.of_peer(own)) GTEST_SKIP() << "the kernel has no sock_diag";
  EXPECT_EQ(unread.of_peer(own), 0u);
  char bytes[123] = {};
  ASSERT_EQ(send(own, bytes, sizeof bytes, 0), static_cast<ssize_t>(sizeof bytes));
  ASSERT_EQ(recv(peer, bytes, 100, MSG_WAITALL), 100);
  EXPECT_EQ(unread.of_peer(own), 23u);
  ASSERT_EQ(send(peer, bytes, 7, 0), 7);  // what comes back does not count
  EXPECT_EQ(unread.of_peer(own), 23u);
  ASSERT_EQ(recv(peer, bytes, 23, MSG_WAITALL), 23);
  EXPECT_EQ(unread.of_peer(own), 0u);
  for (const int s : {own, peer, listener}) close(s);
}

TEST(UnreadBytes, of_what_is_no_tcp_connection_are_not_known) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  EXPECT_EQ(UnreadBytes().of_peer(ends[0]), std::nullopt);
  close(ends[0]);
  close(ends[1]);
  EXPECT_EQ(UnreadBytes().of_peer(ends[0]), std::nullopt);
}

}  // namespace
}  // namespace haptic
