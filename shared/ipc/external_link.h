/* The link between hapticd and an adapter: a process of its own that drives a device through a
 * vendor's library (docs/devices.md, "Your own device"). C11 and C++20, GNU or clang, Linux only.
 *
 *   struct haptic_link link;
 *   if (haptic_link_open(&link, "reference") != 0) puts(link.problem);
 *   for (;;) {                                  // at the device's rate
 *     haptic_link_publish(&link, &pose);
 *     haptic_link_wrench_now(&link, &wrench);   // zero whenever hapticd is not there
 *     ... the vendor's call that applies the wrench ...
 *     haptic_link_applied(&link);
 *   }
 *
 * After haptic_link_open these are loads and stores of shared memory: no locks, no system calls but
 * the clock. All of them are for one thread. The memory is a memfd that cannot change its size, so
 * neither side can make the other fault. Frames: the device's; units: m, s, rad, N, N·m. */
#ifndef HAPTIC_EXTERNAL_LINK_H
#define HAPTIC_EXTERNAL_LINK_H

#if !defined(__cplusplus) && !defined(_GNU_SOURCE)
#error "compile with -D_GNU_SOURCE"
#endif

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define HAPTIC_LINK_MAGIC UINT64_C(0x314b4e494c504148) /* "HAPLINK1" */
#define HAPTIC_LINK_VERSION UINT64_C(1)
#define HAPTIC_LINK_SLOTS 4

/* Flags of a pose. */
#define HAPTIC_LINK_HOMED UINT64_C(1) /* the pose has a meaning */
#define HAPTIC_LINK_STOP UINT64_C(2)  /* the device's own emergency stop is pressed */
#define HAPTIC_LINK_ERROR UINT64_C(4) /* the vendor's library reports an error */
/* State of a wrench. */
#define HAPTIC_LINK_DRIVES UINT64_C(1) /* amplifiers may be on */

/* Adapter to daemon. `instance` and `sequence` are filled in by haptic_link_publish. */
struct haptic_link_pose {
  uint64_t instance;
  uint64_t sequence;          /* 1, 2, 3, ... */
  int64_t time_ns;            /* CLOCK_MONOTONIC of the measurement; 0: now */
  double position[3];         /* m */
  double orientation[4];      /* w, x, y, z, unit, handle -> device; ignored with 3 freedoms */
  double velocity[3];         /* m/s */
  double angular_velocity[3]; /* rad/s, device axes; ignored with 3 freedoms */
  uint64_t buttons;           /* a bit for each */
  uint64_t flags;             /* HAPTIC_LINK_HOMED ... */
};

/* Daemon to adapter, once in every servo cycle: `sequence` is the daemon's beat. */
struct haptic_link_wrench {
  uint64_t sequence;
  int64_t time_ns; /* CLOCK_MONOTONIC */
  uint64_t state;  /* HAPTIC_LINK_DRIVES, or 0 */
  double force[3]; /* N, on the hand */
  double torque[3];
};

#define HAPTIC_LINK_WRENCH_WORDS (sizeof(struct haptic_link_wrench) / 8)
#define HAPTIC_LINK_POSE_WORDS (sizeof(struct haptic_link_pose) / 8)

/* A record in shared memory. `version` is 2n - 1 while record n is written and 2n afterwards. */
struct haptic_link_wrench_slot {
  uint64_t version;
  uint64_t words[15];
};
struct haptic_link_pose_slot {
  uint64_t version;
  uint64_t words[23];
};

/* The shared memory. Each direction is a ring of four records, so that a reader is overtaken only
 * by a writer that writes four of them during its copy. */
struct haptic_link_memory {
  /* Written by the daemon. */
  uint64_t magic, version, size, layout;
  int64_t wrench_max_age_ns; /* then the adapter applies zero */
  uint64_t instance;         /* of the adapter that is connected; 0: none */
  int64_t adapter_pid;       /* 0: none */
  uint64_t guard_zero;       /* 1: hapticd-guard demands zero, for good */
  uint64_t newest_wrench;
  uint64_t driven; /* 1: a wrench with HAPTIC_LINK_DRIVES was published */
  uint64_t unused_a[6];
  struct haptic_link_wrench_slot wrenches[HAPTIC_LINK_SLOTS];
  /* Written by the adapter. */
  uint64_t newest_pose;
  int64_t zero_since_ns; /* the vendor's library took a zero wrench then; 0: a force may act */
  uint64_t unused_b[6];
  struct haptic_link_pose_slot poses[HAPTIC_LINK_SLOTS];
};

/* First packet of either side on the socket; the welcome comes with the memory's descriptor. */
#define HAPTIC_LINK_ADAPTER UINT64_C(1)
#define HAPTIC_LINK_GUARD UINT64_C(2)
struct haptic_link_hello {
  uint64_t magic, version, layout, role;
};
struct haptic_link_welcome {
  uint64_t magic, version, layout, instance;
  char refusal[128]; /* empty: accepted */
};

/* FNV-1a over sizes and offsets. */
static inline uint64_t haptic_link_layout(void) {
  const size_t numbers[] = {sizeof(struct haptic_link_memory),
                            sizeof(struct haptic_link_pose),
                            sizeof(struct haptic_link_wrench),
                            offsetof(struct haptic_link_memory, guard_zero),
                            offsetof(struct haptic_link_memory, wrenches),
                            offsetof(struct haptic_link_memory, newest_pose),
                            offsetof(struct haptic_link_memory, poses),
                            offsetof(struct haptic_link_pose, orientation),
                            offsetof(struct haptic_link_pose, flags),
                            offsetof(struct haptic_link_wrench, force)};
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
    hash = (hash ^ numbers[i]) * UINT64_C(0x100000001b3);
  }
  return hash;
}

static inline int64_t haptic_link_clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Writes record `n`, n = 1, 2, ...: a release store for each word, plain moves on x86. */
static inline void haptic_link_write(uint64_t* newest, uint64_t* slot, const void* record,
                                     size_t words, uint64_t n) {
  __atomic_store_n(&slot[0], 2 * n - 1, __ATOMIC_RELAXED);
  for (size_t i = 0; i < words; ++i) {
    uint64_t word;
    memcpy(&word, (const char*)record + 8 * i, 8);
    __atomic_store_n(&slot[1 + i], word, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&slot[0], 2 * n, __ATOMIC_RELEASE);
  __atomic_store_n(newest, n, __ATOMIC_RELEASE);
}

/* One attempt to read record `n` of its slot. Returns 1 if the copy is whole, 0 if the writer was
 * in it. An acquire load that reads a word of a newer record also sees that record's version. */
static inline int haptic_link_read(const uint64_t* slot, void* record, size_t words, uint64_t n) {
  if (n == 0 || __atomic_load_n(&slot[0], __ATOMIC_ACQUIRE) != 2 * n) return 0;
  for (size_t i = 0; i < words; ++i) {
    const uint64_t word = __atomic_load_n(&slot[1 + i], __ATOMIC_ACQUIRE);
    memcpy((char*)record + 8 * i, &word, 8);
  }
  return __atomic_load_n(&slot[0], __ATOMIC_RELAXED) == 2 * n;
}

static inline int haptic_link_read_wrench(const struct haptic_link_memory* memory,
                                          struct haptic_link_wrench* wrench) {
  for (int attempt = 0; attempt < HAPTIC_LINK_SLOTS; ++attempt) {
    const uint64_t n = __atomic_load_n(&memory->newest_wrench, __ATOMIC_ACQUIRE);
    const uint64_t* slot = &memory->wrenches[n % HAPTIC_LINK_SLOTS].version;
    if (haptic_link_read(slot, wrench, HAPTIC_LINK_WRENCH_WORDS, n)) return 1;
  }
  return 0;
}

/* The adapter's side; opened and closed by shared/ipc/external_link_open.h. */
struct haptic_link {
  struct haptic_link_memory* memory;
  int socket;
  uint64_t instance;
  uint64_t sequence;
  int zero; /* the last wrench that was handed out was zero */
  char problem[256];
};

/* Publishes a pose. Returns 0, or -1 if the daemon has meanwhile taken another adapter. */
static inline int haptic_link_publish(struct haptic_link* link,
                                      const struct haptic_link_pose* pose) {
  struct haptic_link_memory* m = link->memory;
  struct haptic_link_pose record = *pose;
  if (__atomic_load_n(&m->instance, __ATOMIC_ACQUIRE) != link->instance) return -1;
  record.instance = link->instance;
  record.sequence = ++link->sequence;
  if (record.time_ns == 0) record.time_ns = haptic_link_clock_ns();
  haptic_link_write(&m->newest_pose, &m->poses[record.sequence % HAPTIC_LINK_SLOTS].version,
                    &record, HAPTIC_LINK_POSE_WORDS, record.sequence);
  return 0;
}

/* Whether a wrench that was read at `now_ns` may be applied; it is zero, with state 0, if not. */
static inline int haptic_link_judge_wrench(struct haptic_link* link, struct haptic_link_wrench* w,
                                           int64_t now_ns) {
  struct haptic_link_memory* m = link->memory;
  const int64_t age = now_ns - w->time_ns;
  int drives = (w->state & HAPTIC_LINK_DRIVES) != 0 && age >= 0 &&
               age <= __atomic_load_n(&m->wrench_max_age_ns, __ATOMIC_RELAXED) &&
               __atomic_load_n(&m->instance, __ATOMIC_ACQUIRE) == link->instance;
  if (drives) {
    /* First the mark, then the look for the guard's: one of the two sees the other. */
    __atomic_store_n(&m->zero_since_ns, 0, __ATOMIC_SEQ_CST);
    drives = __atomic_load_n(&m->guard_zero, __ATOMIC_SEQ_CST) == 0;
  }
  for (int i = 0; drives && i < 3; ++i) { /* x - x is not zero for infinities and NaN */
    drives = w->force[i] - w->force[i] == 0.0 && w->torque[i] - w->torque[i] == 0.0;
  }
  if (!drives) memset(w, 0, sizeof *w);
  link->zero = !drives;
  return drives;
}

/* The wrench to apply now. Zero, with state 0, unless the daemon drives this very adapter, its last
 * beat is younger than its limit and the guard has not stopped it. Returns whether it may be other
 * than zero. Call it once in every exchange: a wrench that is kept gets older. */
static inline int haptic_link_wrench_now(struct haptic_link* link, struct haptic_link_wrench* w) {
  if (!haptic_link_read_wrench(link->memory, w)) memset(w, 0, sizeof *w);
  return haptic_link_judge_wrench(link, w, haptic_link_clock_ns());
}

/* The vendor's library has taken the last wrench. */
static inline void haptic_link_applied(struct haptic_link* link) {
  struct haptic_link_memory* m = link->memory;
  if (!link->zero || __atomic_load_n(&m->instance, __ATOMIC_ACQUIRE) != link->instance) return;
  if (__atomic_load_n(&m->zero_since_ns, __ATOMIC_RELAXED) != 0) return;
  __atomic_store_n(&m->zero_since_ns, haptic_link_clock_ns(), __ATOMIC_SEQ_CST);
}

/* The device has zero force, whatever wrench was asked for last: before the link is closed. */
static inline void haptic_link_applied_zero(struct haptic_link* link) {
  link->zero = 1;
  haptic_link_applied(link);
}

#endif
