#pragma once

#include <filesystem>

#include "rt/worlds/scene.h"

namespace haptic {

/// An excavator of 16 parts, one of them the ground: cab, boom, stick, bucket, rocker, two rods,
/// and four cylinders of barrel and piston, on 17 hinges and four prismatic joints. The two
/// cylinders of the boom are side by side, one of them without a servo; so are the two rods of the
/// bucket. Nine stones "stone0" to "stone8": three in the bucket, the others between it and a bank.
///
/// Targets: "swing.target" [rad]; "boom_left.target", "stick_push.target", "bucket_push.target"
/// [m], which move in 1 s.
/// @param folder  receives recipes, meshes, models and the scene file
Scene make_excavator(const std::filesystem::path& folder);

}  // namespace haptic
