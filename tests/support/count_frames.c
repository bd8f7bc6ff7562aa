// Preloaded into `haptic view`: counts, in the file that HAPTIC_TEST_FRAMES names, the images that
// its window has shown and how often it has waited for events without showing one. A test then
// waits for images instead of for time.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct counts {
  atomic_ullong shown, waits;
};

static struct counts* counts(void) {
  static struct counts* mapped;
  static struct counts nowhere;
  if (mapped != NULL) return mapped;
  mapped = &nowhere;
  const char* name = getenv("HAPTIC_TEST_FRAMES");
  const int file = name != NULL ? open(name, O_RDWR) : -1;
  if (file < 0) return mapped;
  void* memory = mmap(NULL, sizeof(struct counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory != MAP_FAILED) mapped = memory;
  return mapped;
}

void glfwSwapBuffers(void* window) {
  ((void (*)(void*))dlsym(RTLD_NEXT, "glfwSwapBuffers"))(window);
  atomic_fetch_add(&counts()->shown, 1);
}

void glfwWaitEventsTimeout(double seconds) {
  ((void (*)(double))dlsym(RTLD_NEXT, "glfwWaitEventsTimeout"))(seconds);
  atomic_fetch_add(&counts()->waits, 1);
}
