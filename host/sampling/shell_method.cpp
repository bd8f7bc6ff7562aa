#include "host/sampling/point_shell_builder.h"

namespace haptic {

std::string name_of(ShellMethod method) {
  switch (method) {
    case ShellMethod::kFarthestPoint:
      return "farthest-point";
    case ShellMethod::kRepulsion:
      return "repulsion";
    case ShellMethod::kRandom:
      return "random";
    case ShellMethod::kVertices:
      return "vertices";
    case ShellMethod::kVoxels:
      return "voxels";
    case ShellMethod::kDepth:
      return "depth";
    case ShellMethod::kFile:
      return "file";
  }
  return "unknown";
}

bool counts_itself(ShellMethod method) {
  return method == ShellMethod::kVertices || method == ShellMethod::kVoxels ||
         method == ShellMethod::kDepth || method == ShellMethod::kFile;
}

}  // namespace haptic
