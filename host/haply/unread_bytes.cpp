#include "host/haply/unread_bytes.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>

namespace haptic {
namespace {

struct Request {
  nlmsghdr header{};
  inet_diag_req_v2 asked{};
};

struct Answer {
  nlmsghdr header{};
  inet_diag_msg found{};
};

/// Writes the address of one end. @returns its port in network order, 0 if it is no IP address
std::uint16_t put_address(const sockaddr_storage& end, __be32 (&words)[4]) {
  if (end.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(end);
    std::memcpy(words, &v4.sin_addr, sizeof v4.sin_addr);
    return v4.sin_port;
  }
  if (end.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(end);
    std::memcpy(words, &v6.sin6_addr, sizeof v6.sin6_addr);
    return v6.sin6_port;
  }
  return 0;
}

}  // namespace

UnreadBytes::UnreadBytes()
    : kernel_(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG)) {}

std::optional<std::uint32_t> UnreadBytes::of_peer(int socket) const {
  sockaddr_storage own{}, peer{};
  socklen_t own_size = sizeof own, peer_size = sizeof peer;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&own), &own_size) != 0 ||
      getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &peer_size) != 0) {
    return std::nullopt;
  }
  Request request;
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST;
  request.asked.sdiag_family = static_cast<__u8>(peer.ss_family);
  request.asked.sdiag_protocol = IPPROTO_TCP;
  request.asked.idiag_states = ~0U;
  request.asked.id.idiag_sport = put_address(peer, request.asked.id.idiag_src);
  request.asked.id.idiag_dport = put_address(own, request.asked.id.idiag_dst);
  request.asked.id.idiag_cookie[0] = request.asked.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  if (request.asked.id.idiag_sport == 0 ||
      send(kernel_.get(), &request, sizeof request, 0) != static_cast<ssize_t>(sizeof request)) {
    return std::nullopt;
  }
  Answer answer;
  const ssize_t size = recv(kernel_.get(), &answer, sizeof answer, 0);  // the answer is there
  if (size < static_cast<ssize_t>(sizeof answer) ||
      answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY) {
    return std::nullopt;
  }
  return answer.found.idiag_rqueue;
}

}  // namespace haptic
