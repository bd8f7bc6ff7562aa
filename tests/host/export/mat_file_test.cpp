#include "host/export/mat_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace haptic {
namespace {

using testing::ElementsAre;

TEST(MatFile, names_are_those_that_matlab_permits_and_each_is_there_once) {
  const std::string longest(80, 'a');
  EXPECT_THAT(matlab_names({{"device_force", "", ""},
                            {"bodies/pose[cow 2]", "", ""},
                            {"a/b", "", ""},
                            {"a_b", "", ""},
                            {"7", "", ""},
                            {longest, "", ""},
                            {longest, "", ""}}),
              ElementsAre("device_force", "bodies_pose_cow_2", "a_b", "a_b_2", "x7",
                          std::string(57, 'a'), std::string(57, 'a') + "_2"));
}

}  // namespace
}  // namespace haptic
