#include "rt/servo/two_rate_world.h"

#include <algorithm>
#include <cmath>

#include "shared/assert.h"

namespace haptic {

namespace {

/// Steps of the world in which a delayed pose follows: a step is shown when one to two periods have
/// passed since the hand that it had.
constexpr double kDelaySteps = 1.0;

/// A body whose grasp is moved by z [m; rad], world axes.
Pose moved_by(const Vector6& z, const Grasp& grasp, const Pose& body) HAPTIC_REALTIME {
  const Pose frame = grasp.frame(body);
  return grasp.body({frame.position + z.head<3>(),
                     (rotation_exponential(z.tail<3>()) * frame.orientation).normalized()});
}

/// The z that moves `from` to `to`.
Vector6 difference_of(const Grasp& grasp, const Pose& from, const Pose& to) HAPTIC_REALTIME {
  Vector6 z;
  z << grasp.frame(to).position - grasp.frame(from).position,
      rotation_logarithm(to.orientation * from.orientation.conjugate());
  return z;
}

/// Whether a part of the response follows with a delay.
bool delays(const HandCoupling& law) HAPTIC_REALTIME {
  return law.response.moves() && law.response.late.cwiseAbs().maxCoeff() > 0.0;
}

std::vector<std::size_t> places_of(const StateLayout& layout) {
  std::vector<std::size_t> places = {0};
  for (const StateBlock& block : layout.blocks()) places.push_back(places.back() + block.size());
  return places;
}

}  // namespace

TwoRateWorld::TwoRateWorld(World& world, const Settings& settings, const Clock* clock)
    : world_(world),
      settings_(settings),
      clock_(clock),
      timeout_cycles_(static_cast<std::uint64_t>(
          std::ceil(settings.timeout_s * settings.world_rate_hz * settings.cycles_per_step))),
      clutch_(settings.clutch_button, settings.clutch_fade_s,
              1.0 / (settings.world_rate_hz * settings.cycles_per_step)),
      world_buttons_(settings.clutch_button < 0 ? ~0u : ~(1u << settings.clutch_button)),
      places_(places_of(world.state_layout())),
      to_servo_(initial_state()),
      fade_(settings_.cycles_per_step, 1.0 / (settings_.world_rate_hz * settings_.cycles_per_step)),
      follows_(1.0 -
               std::exp(-1.0 / (kDelaySteps * static_cast<double>(settings.cycles_per_step)))) {
  if (settings.threading == Threading::kFollowing) past_hands_.resize(kFollowedHands);
  HAPTIC_DEMAND(settings.world_rate_hz > 0.0 && settings.cycles_per_step >= 1 &&
                settings.timeout_s > 0.0);
}

TwoRateWorld::State TwoRateWorld::initial_state() const {
  State state;
  state.law = world_.hand_coupling();
  state.values.resize(places_.back());
  copy_state(state);
  for (std::size_t i = 0; i < world_.parameters().size(); ++i) {
    state.parameters.push_back(world_.parameter(i));
  }
  return state;
}

WorldStatus TwoRateWorld::step(const DeviceState& hand, WorldOutput& output) HAPTIC_REALTIME {
  hand_.device.pose = clutch_.follow(hand.pose, hand.buttons);
  hand_.device.twist = clutch_.open() ? Twist{} : hand.twist;
  hand_.device.homed = hand.homed;
  hand_.device.buttons = hand.buttons & world_buttons_;
  ++hand_.count;
  hand_.time_ns = clock_ ? clock_->now_ns() : 0;
  switch (settings_.threading) {
    case Threading::kTogether:
      advance_together();
      break;
    case Threading::kApart:
      to_world_.draft() = hand_;
      to_world_.publish();
      since_step_ = to_servo_.update() ? 0 : since_step_ + 1;
      break;
    case Threading::kFollowing:
      advance_as_followed();
      break;
  }

  const State& seen = newest();
  output = seen.output;
  output.world_step = seen.steps;
  for (std::size_t i = 0; i < seen.hands.size(); ++i) {
    output.world_hand_age[i] =
        i < seen.steps ? static_cast<std::uint32_t>(hand_.count - seen.hands[i]) : 0;
  }
  output.world_age_ns = seen.steps > 0 ? hand_.time_ns - seen.hand_ns : 0;
  output.manipulandum_pose = seen.law.manipulandum(hand_.device.pose);
  output.force_scale = clutch_.force_scale();
  if (seen.steps == 0 || seen.epoch != hand_.epoch) {  // the world has not yet received this hand
    output.held_pose = output.manipulandum_pose;
    output.device_wrench = output.contact_wrench = Wrench{};
    output.stored_energy_J = 0.0;
  } else if (seen.status != WorldStatus::kOk) {
    output.device_wrench = Wrench{};
    return seen.status;
  } else {
    render(seen, output);
  }
  return since_step_ > timeout_cycles_ ? WorldStatus::kLate : WorldStatus::kOk;
}

/// The coupling to the step's pose, moved by its response, and by what is left of the difference
/// from the step before.
void TwoRateWorld::render(const State& seen, WorldOutput& output) HAPTIC_REALTIME {
  const Pose& manipulandum = output.manipulandum_pose;
  const bool starts = seen.epoch != delayed_epoch_;
  const HandCoupling& law = seen.law;
  follow_manipulandum(manipulandum, seen.epoch, delays(law));
  const Pose held = law.held(manipulandum, delayed_, output.held_pose);
  if (starts) {
    fade_.clear();
  } else {
    Vector6 way;
    way << (manipulandum.position - manipulandum_.position) / law.length_scale,
        rotation_logarithm(manipulandum.orientation * manipulandum_.orientation.conjugate());
    fade_.advance(way);
  }
  // Only worlds whose response has a delayed part: on stiffer ones the port was not passive with
  // it.
  if (!starts && seen.steps != shown_step_ && (delays(law) || delays(shown_law_))) {
    const Pose before = moved_by(fade_.difference(), law.grasp,
                                 shown_law_.held(manipulandum, delayed_, shown_held_));
    fade_.begin(difference_of(law.grasp, held, before));
  }
  manipulandum_ = manipulandum;
  shown_step_ = seen.steps;
  shown_law_ = law;
  shown_held_ = output.held_pose;
  const Twist twist = law.manipulandum(hand_.device.twist);
  const Wrench of_step = law.wrench(manipulandum, twist, held, output.held_twist);
  const Pose went_on = moved_by(fade_.difference(), law.grasp, held);
  const Wrench faded = law.wrench(manipulandum, twist, went_on, output.held_twist);
  Vector6 added;
  added << faded.force - of_step.force, faded.torque - of_step.torque;
  const bool fades = fade_.allows(added);
  output.held_pose = fades ? went_on : held;
  output.device_wrench = fades ? faded : of_step;
  output.stored_energy_J = law.stored(manipulandum, output.held_pose);
}

/// Where nothing is delayed, the delay begins anew: a part that began with the way that the hand
/// has made in the air would be a loaded spring that nobody has paid for.
void TwoRateWorld::follow_manipulandum(const Pose& pose, std::uint64_t epoch,
                                       bool delays) HAPTIC_REALTIME {
  if (epoch != delayed_epoch_ || !delays) {
    delayed_epoch_ = epoch;
    delayed_ = pose;
    return;
  }
  delayed_.position += follows_ * (pose.position - delayed_.position);
  delayed_.orientation = delayed_.orientation.slerp(follows_, pose.orientation).normalized();
}

// Shows the result of the step that began a world period ago, and begins the next one with the
// present hand.
void TwoRateWorld::advance_together() HAPTIC_REALTIME {
  if ((hand_.count - 1) % settings_.cycles_per_step != 0) return;
  if (hand_.count > 1) {
    to_servo_.publish();
    to_servo_.update();
  }
  to_world_.draft() = hand_;
  to_world_.publish();
  to_world_.update();
  run_step(to_world_.newest(), to_servo_.draft());
}

// Shows the steps that became visible in this cycle, each with the hand that it had.
void TwoRateWorld::advance_as_followed() HAPTIC_REALTIME {
  past_hands_[hand_.count % kFollowedHands] = hand_;
  const bool shows_new = steps_ < followed_.world_step;
  while (steps_ < followed_.world_step) {
    const std::uint32_t age = followed_.world_hand_age[followed_.world_step - steps_ - 1];
    run_step(past_hands_[(hand_.count - age) % kFollowedHands], to_servo_.draft());
    to_servo_.publish();
    to_servo_.update();
  }
  since_step_ = shows_new ? 0 : since_step_ + 1;
}

bool TwoRateWorld::follow(const WorldOutput& shown) HAPTIC_REALTIME {
  if (shown.world_step < steps_ || shown.world_step - steps_ > shown.world_hand_age.size()) {
    return false;
  }
  std::uint64_t last = hands_[0];  // of the step before; each step has a newer hand
  for (std::uint64_t i = shown.world_step - steps_; i-- > 0;) {
    const std::uint64_t age = shown.world_hand_age[i], count = hand_.count + 1;
    if (age >= kFollowedHands || age >= count || count - age <= last) return false;
    last = count - age;
  }
  followed_ = shown;
  return true;
}

bool TwoRateWorld::simulate() HAPTIC_REALTIME {
  to_world_.update();
  const Hand& hand = to_world_.newest();
  if (hand.count == hands_[0]) return false;
  run_step(hand, to_servo_.draft());
  to_servo_.publish();
  return true;
}

void TwoRateWorld::run_step(const Hand& hand, State& next) HAPTIC_REALTIME {
  if (hand.epoch != epoch_) {
    epoch_ = hand.epoch;
    world_.reset();
  }
  if (hand.change != change_) {
    change_ = hand.change;
    // The servo has checked the range. If the world refuses the value it keeps the old one and
    // publishes it.
    [[maybe_unused]] const bool applied = world_.set_parameter(hand.parameter, hand.value);
  }
  if (hand.force_limit != force_limit_ || hand.torque_limit != torque_limit_) {
    force_limit_ = hand.force_limit;
    torque_limit_ = hand.torque_limit;
    world_.limit_wrench(force_limit_, torque_limit_);
  }
  if (hand.pulls != pulls_) {
    pulls_ = hand.pulls;
    [[maybe_unused]] const bool pulled = world_.pull(hand.pull);
  }
  next.status = world_.step(hand.device, next.output);
  next.law = world_.hand_coupling();
  if (next.status == WorldStatus::kOk) next.law.response = world_.held_response();
  next.steps = ++steps_;
  hands_ = {hand.count, hands_[0], hands_[1]};
  next.hands = hands_;
  next.epoch = epoch_;
  next.change = change_;
  next.hand_ns = hand.time_ns;
  copy_state(next);
  for (std::size_t i = 0; i < next.parameters.size(); ++i) {
    next.parameters[i] = world_.parameter(i);
  }
}

void TwoRateWorld::copy_state(State& to) const HAPTIC_REALTIME {
  for (std::size_t block = 0; block + 1 < places_.size(); ++block) {
    const std::span<double> room =
        std::span(to.values).subspan(places_[block], places_[block + 1] - places_[block]);
    const std::span<const double> values = world_.state(block);
    // A world that returned more than it declared would write over the next block.
    std::ranges::copy(values.first(std::min(values.size(), room.size())), room.begin());
  }
}

void TwoRateWorld::reset() HAPTIC_REALTIME {
  ++hand_.epoch;
  clutch_.reset();
  since_step_ = 0;
}

double TwoRateWorld::parameter(std::size_t index) const HAPTIC_REALTIME {
  const std::vector<double>& values = newest().parameters;
  return index < values.size() ? values[index] : std::nan("");
}

bool TwoRateWorld::set_parameter(std::size_t index, double value) HAPTIC_REALTIME {
  if (index >= parameters().size() || newest().change != hand_.change) return false;
  const Parameter& range = parameters()[index];
  if (!(value >= range.minimum && value <= range.maximum)) return false;
  if (range.whole && value != std::floor(value)) return false;
  ++hand_.change;
  hand_.parameter = index;
  hand_.value = value;
  return true;
}

void TwoRateWorld::limit_wrench(double force, double torque) HAPTIC_REALTIME {
  hand_.force_limit = force;
  hand_.torque_limit = torque;
}

bool TwoRateWorld::pull(const Pull& pull) HAPTIC_REALTIME {
  ++hand_.pulls;
  hand_.pull = pull;
  return true;
}

}  // namespace haptic
