/* Opening and closing the link of an adapter to hapticd (shared/ipc/external_link.h). C11, C++20.
 *
 * The daemon listens on the socket `device.LINK.link` of its run folder, where nobody but its user
 * can put a file. Both sides check the other's user as the kernel reports it: hapticd accepts its
 * own user, root and the user that its manifest names; the adapter accepts the folder's owner only.
 * The memory is handed over as a descriptor, so it has no name that could be taken by another. */
#ifndef HAPTIC_EXTERNAL_LINK_OPEN_H
#define HAPTIC_EXTERNAL_LINK_OPEN_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "external_link.h"

/* C has no nullptr. NOLINTBEGIN(modernize-use-nullptr) */

/* Whether only its owner may write this folder; *owner is set. */
static inline int haptic_link_is_safe_folder(const char* folder, uid_t* owner) {
  struct stat status;
  if (lstat(folder, &status) != 0 || !S_ISDIR(status.st_mode)) return 0;
  *owner = status.st_uid;
  return (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* The i-th folder that replaces /dev/shm/hapticd-UID where another user has taken that name.
 * Returns 0 behind the last one. */
static inline int haptic_link_alternative(int i, char* folder, size_t size) {
  char start[48];
  const int length = snprintf(start, sizeof start, "hapticd-%u-", (unsigned)geteuid());
  DIR* const names = opendir("/dev/shm");
  const struct dirent* name;
  uid_t owner;
  int found = 0;
  if (names == NULL) return 0;
  while (!found && (name = readdir(names)) != NULL) {
    if (strncmp(name->d_name, start, (size_t)length) != 0) continue;
    if (snprintf(folder, size, "/dev/shm/%s", name->d_name) >= (int)size) continue;
    if (!haptic_link_is_safe_folder(folder, &owner) || owner != geteuid()) continue;
    found = i-- == 0;
  }
  closedir(names);
  return found;
}

/* The i-th folder in which a daemon may run. Returns 0 behind the last one. /run/hapticd may belong
 * to the service's account, because only root can make it; the others must be this user's own. */
static inline int haptic_link_folder(int i, char* folder, size_t size, int* foreign) {
  const char* session = getenv("XDG_RUNTIME_DIR");
  const char* service = getenv("RUNTIME_DIRECTORY");
  *foreign = i == 1;
  switch (i) {
    case 0: /* systemd separates several with a colon */
      snprintf(folder, size, "%.*s", service ? (int)strcspn(service, ":") : 0,
               service ? service : "");
      return 1;
    case 1:
      snprintf(folder, size, "/run/hapticd");
      return 1;
    case 2:
      snprintf(folder, size, "%s/hapticd", session ? session : "/nowhere");
      return 1;
    case 3:
      snprintf(folder, size, "/run/user/%u/hapticd", (unsigned)geteuid());
      return 1;
    case 4:
      snprintf(folder, size, "/dev/shm/hapticd-%u", (unsigned)geteuid());
      return 1;
    default:
      return haptic_link_alternative(i - 5, folder, size);
  }
}

/* Connects to the socket in one folder, behind others who connect for at most `patience_ms`.
 * Returns a descriptor, or -1 with errno. */
static inline int haptic_link_connect(const char* folder, int foreign, const char* name,
                                      int patience_ms) {
  const struct timeval patience = {patience_ms / 1000, patience_ms % 1000 * 1000};
  struct sockaddr_un address;
  struct stat status;
  struct ucred peer;
  socklen_t length = sizeof peer;
  uid_t owner;
  int s;
  if (!haptic_link_is_safe_folder(folder, &owner) || (!foreign && owner != geteuid())) {
    errno = ENOENT;
    return -1;
  }
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  if (snprintf(address.sun_path, sizeof address.sun_path, "%s/device.%s.link", folder, name) >=
      (int)sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  if (lstat(address.sun_path, &status) != 0) return -1;
  s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (s < 0) return -1;
  setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (connect(s, (const struct sockaddr*)&address, sizeof address) != 0) {
    const int why = errno;
    close(s);
    errno = why;
    return -1;
  }
  if (getsockopt(s, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.uid != owner) {
    close(s);
    errno = EPERM;
    return -1;
  }
  return s;
}

/* Receives the welcome and the descriptor that comes with it, -1 if none. Returns 0, or -1. */
static inline int haptic_link_receive(int s, struct haptic_link_welcome* welcome, int* descriptor) {
  union {
    struct cmsghdr header;
    char room[64];
  } control;
  struct iovec part = {welcome, sizeof *welcome};
  struct msghdr message;
  struct cmsghdr* c;
  memset(&message, 0, sizeof message);
  memset(&control, 0, sizeof control);
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.room;
  message.msg_controllen = sizeof control;
  *descriptor = -1;
  if (recvmsg(s, &message, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof *welcome) return -1;
  c = CMSG_FIRSTHDR(&message);
  if (c != NULL && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
      c->cmsg_len == CMSG_LEN(sizeof(int))) {
    memcpy(descriptor, CMSG_DATA(c), sizeof(int));
  }
  return 0;
}

/* Checks the descriptor and maps it: right size, and sealed, so that it keeps it. */
static inline int haptic_link_map(struct haptic_link* link, int descriptor) {
#ifdef F_GET_SEALS
  const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW;
  const int are_sealed = (fcntl(descriptor, F_GET_SEALS) & seals) == seals;
#else
#error "compile with -D_GNU_SOURCE"
#endif
  struct stat status;
  void* data;
  if (fstat(descriptor, &status) != 0 || !are_sealed ||
      status.st_size < (off_t)sizeof(struct haptic_link_memory)) {
    return -1;
  }
  data = mmap(NULL, sizeof(struct haptic_link_memory), PROT_READ | PROT_WRITE, MAP_SHARED,
              descriptor, 0);
  if (data == MAP_FAILED) return -1;
  link->memory = (struct haptic_link_memory*)data;
  return link->memory->magic == HAPTIC_LINK_MAGIC && link->memory->layout == haptic_link_layout()
             ? 0
             : -1;
}

static inline void haptic_link_close(struct haptic_link* link) {
  if (link->memory != NULL) munmap(link->memory, sizeof *link->memory);
  if (link->socket >= 0) close(link->socket);
  link->memory = NULL;
  link->socket = -1;
}

/* Connects as `role` and waits for the answer for at most `patience_ms`. */
static inline int haptic_link_open_as(struct haptic_link* link, const char* name, uint64_t role,
                                      int patience_ms) {
  const struct haptic_link_hello hello = {HAPTIC_LINK_MAGIC, HAPTIC_LINK_VERSION,
                                          haptic_link_layout(), role};
  struct haptic_link_welcome welcome;
  char folder[128];
  int foreign, descriptor = -1, found = ENOENT;
  memset(link, 0, sizeof *link);
  link->socket = -1;
  for (int i = 0; link->socket < 0 && haptic_link_folder(i, folder, sizeof folder, &foreign); ++i) {
    link->socket = haptic_link_connect(folder, foreign, name, patience_ms);
    if (link->socket < 0 && errno != ENOENT) found = errno;
  }
  if (link->socket < 0) {
    snprintf(link->problem, sizeof link->problem, "no hapticd listens on link \"%.64s\": %s", name,
             found == ENOENT ? "no such socket in any run folder" : strerror(found));
    errno = found;
    return -1;
  }
  memset(&welcome, 0, sizeof welcome);
  errno = 0;
  /* A daemon that refuses this user has answered and hung up before the hello: EPIPE. */
  if ((send(link->socket, &hello, sizeof hello, MSG_NOSIGNAL) != (ssize_t)sizeof hello &&
       errno != EPIPE) ||
      haptic_link_receive(link->socket, &welcome, &descriptor) != 0) {
    const int why = errno ? errno : EPROTO;
    snprintf(link->problem, sizeof link->problem, "link \"%.64s\": hapticd does not answer: %s",
             name, strerror(why));
    haptic_link_close(link);
    errno = why;
    return -1;
  }
  welcome.refusal[sizeof welcome.refusal - 1] = 0;
  if (welcome.refusal[0] != 0 || welcome.layout != hello.layout || descriptor < 0 ||
      haptic_link_map(link, descriptor) != 0) {
    snprintf(link->problem, sizeof link->problem, "link \"%.64s\": refused: %.127s", name,
             welcome.refusal[0] != 0 ? welcome.refusal : "hapticd has another version of the link");
    if (descriptor >= 0) close(descriptor);
    haptic_link_close(link);
    errno = EACCES;
    return -1;
  }
  close(descriptor);
  link->instance = welcome.instance;
  return 0;
}

/* Connects this process as the adapter of the link `name` (a manifest's key `link`).
 * Returns 0, or -1 with link->problem, a line for a user; ENOENT and ECONNREFUSED in errno mean
 * that no daemon is there yet, so try again in a second. Never longer than two seconds. */
static inline int haptic_link_open(struct haptic_link* link, const char* name) {
  return haptic_link_open_as(link, name, HAPTIC_LINK_ADAPTER, 2000);
}

/* Whether the daemon is gone, or has dropped this adapter: close the link and open it again. One
 * system call; not needed for safety, so a few times a second are enough. */
static inline int haptic_link_is_lost(const struct haptic_link* link) {
  char nothing;
  const ssize_t n = recv(link->socket, &nothing, 1, MSG_DONTWAIT | MSG_PEEK);
  return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

/* NOLINTEND(modernize-use-nullptr) */
#endif
