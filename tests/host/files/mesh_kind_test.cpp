#include "host/files/mesh_kind.h"

#include <gtest/gtest.h>

namespace haptic {
namespace {

TEST(MeshKind, is_that_of_the_extension_in_any_case) {
  for (const char* name : {"a.obj", "b/c.STL", "d.e.Ply"}) {
    EXPECT_TRUE(is_surface_file(name)) << name;
    EXPECT_FALSE(is_volume_file(name)) << name;
  }
  for (const char* name : {"a.msh", "b.MESH", "c.ele", "d.Node", "e.veg"}) {
    EXPECT_TRUE(is_volume_file(name)) << name;
    EXPECT_FALSE(is_surface_file(name)) << name;
  }
  for (const char* name : {"", "obj", ".obj", "a.obj.h5", "stl/a", "a.mshx"}) {
    EXPECT_FALSE(is_surface_file(name) || is_volume_file(name)) << name;
  }
  EXPECT_EQ(lower_case_extension("A.B.TOML"), ".toml");
}

}  // namespace
}  // namespace haptic
