#include "host/monitor/refusal.h"

#include <gtest/gtest.h>

namespace haptic {
namespace {

std::string refused(CommandAnswer answer, ServoState state, FaultKind fault = FaultKind::kNone) {
  CommandReply reply{};
  reply.answer = answer;
  reply.state = state;
  reply.fault = fault;
  return refusal("none", "", reply);
}

TEST(Refusal, names_the_state_and_its_fault) {
  EXPECT_EQ(refused(CommandAnswer::kWrongState, ServoState::kEngaged),
            "not possible in this state (engaged)");
  EXPECT_EQ(refused(CommandAnswer::kWrongState, ServoState::kFault, FaultKind::kOperatorStop),
            "not possible in this state (fault: operator_stop)");
}

TEST(Refusal, says_what_a_device_without_a_pose_needs) {
  EXPECT_EQ(refused(CommandAnswer::kWrongState, ServoState::kHoming),
            "not possible in this state (homing: the device has given no pose yet; home it, or "
            "start the adapter of an external device)");
}

}  // namespace
}  // namespace haptic
