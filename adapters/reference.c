/* A reference adapter of hapticd, to copy for a device of your own: docs/devices.md, "Your own
 * device". Replace the `sdk_` functions with those of your vendor; the rest stays.
 *
 *   cc -std=c11 -D_GNU_SOURCE -O2 -o my-adapter reference.c -lm
 *   ./my-adapter [LINK] [SECONDS]      # default: link "reference", for ever */
#include <hapticd/external_link_open.h>
#include <math.h>
#include <signal.h>

#define RATE 1000 /* Hz */

/* --- A vendor's library, simulated: a hand of 0.3 kg on a spring of 300 N/m moves the handle 25 mm
 * down and up, once in two seconds, and feels the force. -----------------------------------------
 */
struct sdk_device {
  double y, vy, force[3], time;
};

static int sdk_open(struct sdk_device* device) {
  memset(device, 0, sizeof *device);
  return 0;
}

static int sdk_read(struct sdk_device* device, double position[3], double velocity[3],
                    unsigned* buttons) {
  const double pi = 3.14159265358979, dt = 1.0 / RATE, m = 0.3, k = 300.0, c = 15.0;
  const double target = -0.0125 * (1.0 - cos(pi * device->time));
  device->vy = (device->vy + dt / m * (k * (target - device->y) + device->force[1])) /
               (1.0 + dt / m * (c + dt * k));
  device->y += dt * device->vy;
  device->time += dt;
  position[0] = position[2] = velocity[0] = velocity[2] = 0.0;
  position[1] = device->y;
  velocity[1] = device->vy;
  *buttons = 1u; /* the hand holds button 0 */
  return 0;
}

static int sdk_set_force(struct sdk_device* device, const double force[3]) {
  memcpy(device->force, force, sizeof device->force);
  return 0;
}

/* --- The adapter -------------------------------------------------------------------------------
 */
static void leave(struct haptic_link* link, struct sdk_device* device) {
  if (sdk_set_force(device, (const double[3]){0.0, 0.0, 0.0}) == 0) haptic_link_applied_zero(link);
  haptic_link_close(link);
}

static volatile sig_atomic_t stop;
static void on_signal(int signal) {
  stop = signal;
}
/* A signal that ended this program would leave the device with its last force; so would Ctrl-Z. */
static const int ends[] = {SIGTERM, SIGINT,  SIGHUP,    SIGQUIT, SIGXCPU, SIGUSR1,
                           SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR};
static const int ignored[] = {SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU};

/* A standard descriptor that this program was started without would be given to the link, and its
 * messages would be sent to hapticd. */
static void keep_standard_descriptors(void) {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) _exit(1);
  }
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "reference";
  char* end = "";
  const double seconds = argc > 2 ? strtod(argv[2], &end) : -1.0;
  long turns = -1; /* for ever */
  struct sdk_device device;
  struct haptic_link link;
  struct timespec next;
  int linked = 0, told = 0;

  keep_standard_descriptors();
  if (argc == 2 && strcmp(name, "--help") == 0) {
    printf("usage: reference-adapter [LINK] [SECONDS]   (default: link \"reference\", for ever)\n");
    return 0;
  }
  if (argc > 3 || name[0] == '-' || *end != 0 || (argc > 2 && !(seconds >= 0.0 && seconds < 1e9))) {
    fprintf(stderr, "reference adapter: expected [LINK] [SECONDS], see --help\n");
    return 2;
  }
  if (argc > 2) turns = (long)(seconds * RATE);
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i) signal(ends[i], on_signal);
  for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; ++i) signal(ignored[i], SIG_IGN);
  if (sdk_open(&device) != 0) return 1;
  clock_gettime(CLOCK_MONOTONIC, &next);
  for (long turn = 0; !stop && turn != turns; ++turn) {
    struct haptic_link_wrench wrench = {0};
    struct haptic_link_pose pose = {0};
    unsigned buttons = 0;

    /* No daemon yet, or no longer: look for one once a second, with zero force meanwhile. */
    if (linked && turn % (RATE / 4) == 0 && haptic_link_is_lost(&link)) {
      fprintf(stderr, "reference adapter: hapticd has gone\n");
      leave(&link, &device);
      linked = told = 0;
    }
    if (!linked && turn % RATE == 0) {
      linked = haptic_link_open(&link, name) == 0;
      if (!linked && !told) fprintf(stderr, "reference adapter: %s; waiting\n", link.problem);
      if (linked) fprintf(stderr, "reference adapter: linked to hapticd\n");
      told = 1;
    }

    /* The time of the measurement is the time before the call that measures. */
    pose.time_ns = haptic_link_clock_ns();
    if (sdk_read(&device, pose.position, pose.velocity, &buttons) == 0) {
      pose.flags = HAPTIC_LINK_HOMED;
    } else {
      pose.flags = HAPTIC_LINK_ERROR;
    }
    pose.orientation[0] = 1.0; /* this device has no gimbal */
    pose.buttons = buttons;

    /* Zero unless hapticd drives this adapter and has beaten within its limit. */
    if (linked) haptic_link_publish(&link, &pose);
    if (linked) haptic_link_wrench_now(&link, &wrench);
    if (sdk_set_force(&device, wrench.force) == 0 && linked) haptic_link_applied(&link);

    /* The next slot; missed ones are skipped. A vendor's library that blocks until its next sample
     * takes the place of this sleep. */
    next.tv_nsec += 1000000000 / RATE;
    if (next.tv_nsec >= 1000000000) {
      next.tv_sec += 1;
      next.tv_nsec -= 1000000000;
    }
    if (haptic_link_clock_ns() > next.tv_sec * INT64_C(1000000000) + next.tv_nsec) {
      clock_gettime(CLOCK_MONOTONIC, &next);
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
  }

  /* With zero force, whatever the daemon wants. */
  if (linked) leave(&link, &device);
  return 0;
}
