/* An adapter that does what none should (external_device_test.py).
 * Usage: faulty_adapter LINK guards                 takes every place of a guard
 *        faulty_adapter LINK nan|quaternion|backwards|future|jump|flood|attack|none
 *        faulty_adapter LINK probe PID killed|stopped   kills or stops the daemon while a force
 *        acts and prints when its own device had zero force */
#include <hapticd/external_link_open.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>

static void rest(long ns) {
  const struct timespec pause = {0, ns};
  nanosleep(&pause, NULL);
}

static struct haptic_link_pose good(double y) {
  struct haptic_link_pose pose = {0};
  pose.orientation[0] = 1.0;
  pose.position[1] = y;
  pose.flags = HAPTIC_LINK_HOMED;
  return pose;
}

/* The daemon must survive whatever its own memory lets another process do. */
static int attack(struct haptic_link* link) {
  char path[64];
  uint64_t seed = 88172645463325252u;
  for (int d = 3; d < 64; ++d) { /* no descriptor of the memory is left open */
    struct stat status;
    if (fstat(d, &status) == 0 && S_ISREG(status.st_mode)) return 3;
  }
  snprintf(path, sizeof path, "/proc/self/map_files/%lx-%lx",
           (unsigned long)(uintptr_t)link->memory, (unsigned long)(uintptr_t)link->memory + 4096);
  const int descriptor = open(path, O_RDWR); /* needs root; without it only madvise is tried */
  if (descriptor >= 0) {
    if (ftruncate(descriptor, 0) == 0 || ftruncate(descriptor, 1 << 20) == 0) return 4;
    if (fcntl(descriptor, F_ADD_SEALS, F_SEAL_WRITE) == 0) return 5;
  }
  for (int round = 0; round < 200; ++round) {
    if (madvise(link->memory, sizeof *link->memory, MADV_REMOVE) != 0) return 6;
    rest(1000000);
  }
  for (int round = 0; round < 200000; ++round) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    ((volatile uint64_t*)link->memory)[seed % (sizeof *link->memory / 8)] =
        seed * 2685821657736338717u;
    if (round % 1000 == 0) rest(1000000);
  }
  return 0;
}

/* Its own device: the force that was applied last. */
static int probe(struct haptic_link* link, pid_t daemon, int signal) {
  int64_t event = 0;
  for (long i = 0;; ++i) {
    struct haptic_link_wrench wrench;
    const struct haptic_link_pose pose = good(-0.0125 * (1.0 - cos(0.003 * (double)i)));
    haptic_link_publish(link, &pose);
    haptic_link_wrench_now(link, &wrench);
    const double force = fabs(wrench.force[1]);
    haptic_link_applied(link);
    if (event == 0 && force > 0.05) {
      event = haptic_link_clock_ns();
      kill(daemon, signal);
    } else if (event != 0 && wrench.state == 0) {
      printf("zero after %.2f ms\n", 1e-6 * (double)(haptic_link_clock_ns() - event));
      return 0;
    }
    rest(1000000);
  }
}

int main(int argc, char** argv) {
  struct haptic_link link;
  if (argc < 3) return 2;
  if (strcmp(argv[2], "guards") == 0) {
    static struct haptic_link guards[64];
    int taken = 0;
    while (taken < 64 &&
           haptic_link_open_as(&guards[taken], argv[1], HAPTIC_LINK_GUARD, 2000) == 0) {
      ++taken;
    }
    fprintf(stderr, "faulty adapter: %d guards\n", taken);
    pause();
  }
  if (haptic_link_open(&link, argv[1]) != 0) {
    fprintf(stderr, "faulty adapter: %s\n", link.problem);
    return 1;
  }
  const char* kind = argv[2];
  if (strcmp(kind, "none") == 0) return 0;
  if (strcmp(kind, "attack") == 0) return attack(&link);
  if (strcmp(kind, "probe") == 0 && argc == 5) {
    return probe(&link, (pid_t)atoi(argv[3]), strcmp(argv[4], "killed") == 0 ? SIGKILL : SIGSTOP);
  }
  for (long i = 0;; ++i) {
    struct haptic_link_pose pose = good(0.0);
    const int now = i % 20 == 19;
    if (strcmp(kind, "nan") == 0 && now) pose.position[1] = NAN;
    if (strcmp(kind, "quaternion") == 0) pose.orientation[0] = 3.0;
    if (strcmp(kind, "jump") == 0 && now) pose.position[1] = 0.09;
    if (strcmp(kind, "backwards") == 0 && now) link.sequence -= 10;
    if (strcmp(kind, "future") == 0) pose.time_ns = haptic_link_clock_ns() + INT64_C(1000000000);
    haptic_link_publish(&link, &pose);
    if (strcmp(kind, "flood") != 0) rest(1000000);
  }
}
