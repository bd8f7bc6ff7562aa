#include "host/view/log_contacts.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "host/offline/recorded_scene.h"
#include "rt/worlds/pressing_contacts.h"
#include "rt/worlds/world_kind.h"

namespace haptic {

LogContacts::LogContacts(const LogReader& log) : log_(log) {
  const LogDescription& description = log.description();
  try {
    Scene scene = recorded_scene(log);
    bool same = scene.bodies.size() == description.bodies.size();
    for (std::size_t b = 0; same && b < scene.bodies.size(); ++b) {
      same = scene.bodies[b].name == description.bodies[b].name &&
             text_of(scene.bodies[b].model) == description.bodies[b].model_path;
    }
    if (!same) {
      missing_ = "the scene's file has other bodies now";
    } else if (scene.kind->make_contact_probe != nullptr) {
      evaluated_.emplace(std::move(scene));
    } else {
      replay_ = std::make_unique<LogReplay>(log);
      if (dynamic_cast<const PressingContacts*>(&replay_->simulated()) == nullptr) {
        missing_ = "this kind of world has no contacts to tell";
        replay_.reset();
      }
    }
  } catch (const std::runtime_error& error) {
    missing_ = error.what();
  }
}

/// Whether this row can be reached by replaying, from the present row or from the beginning.
bool LogContacts::can_replay(std::uint64_t row) {
  if (!replay_) return false;
  if (row >= replay_->rows()) {
    missing_ = "the log has a gap before the frame";
    replay_.reset();
    return false;
  }
  if (row + 1 >= replay_->row()) return true;
  try {
    replay_ = std::make_unique<LogReplay>(log_);
  } catch (const std::runtime_error& error) {
    missing_ = error.what();
    replay_.reset();
  }
  return replay_ != nullptr;
}

bool LogContacts::step() {
  try {
    replayed_force_ = replay_->step().contact_wrench.force;
  } catch (const std::runtime_error& error) {
    missing_ = error.what();
    replay_.reset();
  }
  return replay_ != nullptr;
}

std::uint64_t LogContacts::approach(std::uint64_t row,
                                    std::chrono::steady_clock::duration at_most) {
  if (!can_replay(row)) return 0;
  const auto end = std::chrono::steady_clock::now() + at_most;
  while (replay_->row() <= row && std::chrono::steady_clock::now() < end) {
    if (!step()) return 0;
  }
  return row + 1 - replay_->row();
}

std::vector<FrameContact> LogContacts::at(const SceneFrame& frame, std::uint64_t row) {
  // On the same instruction set the force is identical; on another one it may differ where the
  // motion amplifies rounding.
  constexpr double kAgreement = 1e-6;
  if (evaluated_) {
    try {
      return evaluated_->at(frame);
    } catch (const std::runtime_error& error) {
      missing_ = error.what();
      evaluated_.reset();
      return {};
    }
  }
  if (!can_replay(row)) return {};
  while (replay_->row() <= row) {
    if (!step()) return {};
  }
  const Vector3 logged = frame.force.value_or(Vector3::Zero());
  if (!((replayed_force_ - logged).norm() <= kAgreement * std::max(1.0, logged.norm()))) {
    missing_ = "the replay does not agree with the log";
    replay_.reset();
    return {};
  }
  std::vector<FrameContact> contacts;
  for (const PressingContact& contact :
       dynamic_cast<const PressingContacts&>(replay_->simulated()).pressing_contacts()) {
    contacts.push_back({contact.position, contact.force, contact.depth});
  }
  return contacts;
}

}  // namespace haptic
