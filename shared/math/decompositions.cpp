#include "shared/math/decompositions.h"

#define HAPTIC_INSTANTIATED template
#include "shared/math/decompositions.inc"
