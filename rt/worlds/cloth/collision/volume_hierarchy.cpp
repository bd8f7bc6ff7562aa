#include "rt/worlds/cloth/collision/volume_hierarchy-inl.h"

namespace haptic::cloth {

template class VolumeHierarchy<BoxVolume>;

}  // namespace haptic::cloth
