/* The link's headers as a C11 program sees them (link_in_c.h). */
#include "shared/ipc/external_link_open.h"

uint64_t layout_in_c(void);
size_t size_in_c(void);
void publish_in_c(struct haptic_link_memory* memory, uint64_t instance, double z);

uint64_t layout_in_c(void) {
  return haptic_link_layout();
}
size_t size_in_c(void) {
  return sizeof(struct haptic_link_memory);
}
void publish_in_c(struct haptic_link_memory* memory, uint64_t instance, double z) {
  struct haptic_link link = {0};
  struct haptic_link_pose pose = {0};
  link.memory = memory;
  link.instance = instance;
  pose.position[2] = z;
  pose.flags = HAPTIC_LINK_HOMED;
  haptic_link_publish(&link, &pose);
}
