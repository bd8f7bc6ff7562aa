#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rt/bodies/body_model.h"
#include "rt/bodies/deformable_body.h"
#include "rt/bodies/floating_inertia.h"
#include "rt/bodies/free_body.h"
#include "rt/bodies/held_body.h"
#include "rt/contact/contact_solver.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/solids/contact_energy.h"
#include "rt/worlds/solids/contact_set.h"
#include "rt/worlds/solids/field_fold.h"
#include "rt/worlds/solids/joint_set.h"
#include "rt/worlds/solids/point_path.h"
#include "rt/worlds/solids/pull_spring.h"
#include "rt/worlds/solids/sleeping_blocks.h"
#include "rt/worlds/world.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::solids {

/// One linearly implicit step of the held body, all free and all deformable bodies, with the
/// contact forces of the step's end (docs/methods/contact-and-coupling.md, "Implicit contact step")
/// and the joints closed there (docs/methods/multibody.md, "Joints").
///
/// Unknowns: 6 of the held body, then 6 of every free body, or 6 + r of one that deforms, then the
/// change of the reduced coordinates of every other deformable body. The contacts found at the
/// start of the step enter with the normal of that instant.
class ImplicitStep {
 public:
  /// A deformable body, in the order of its unknowns.
  struct Member {
    std::size_t body;
    DeformableBody* dynamics;
  };
  struct FreeMember {
    std::size_t body;
    FreeBody* dynamics;
    FloatingInertia* inertia = nullptr;  ///< of one that deforms; it is a Member, too
    DeformableBody* shape = nullptr;     ///< of the same body
  };
  /// Larger systems are refused: their matrices take some hundred megabytes.
  static constexpr std::uint32_t kMaxUnknowns = 3200;

  /// Whether the world makes this step: `dynamics.contact`; by default, if nothing excludes it. A
  /// free body or a joint needs it.
  /// @throws InputError if the scene asks for the step, or has a free body or a joint, and asks for
  ///         something that excludes it
  static bool chosen_by(const Scene& scene);

  /// @param members, free  outlive this object, as do the models
  /// @throws InputError if there are more than kMaxUnknowns, or a joint has a body that deforms
  ImplicitStep(const Scene& scene, std::span<const std::unique_ptr<BodyModel>> models,
               std::vector<Member> members, std::vector<FreeMember> free,
               std::span<const ContactSet::Pair> pairs);

  /// First call of a step: prepares the free bodies.
  void begin(const HeldBody& held, const CouplingLoad& load) HAPTIC_REALTIME;
  /// After begin(): for each body, a bound on the motion of its points over the step, without
  /// deformation [m].
  std::span<const double> motion_bounds() const HAPTIC_REALTIME { return motion_bounds_; }
  /// Before a touch: sets the margins of the fresh pairs, so that it lists the points that can come
  /// into contact during the step.
  void set_margins(ContactSet& contacts) HAPTIC_REALTIME;
  /// Finds the step; the bodies are not moved but for the ramps of their materials and the anchors
  /// of friction.
  /// @param bodies  all bodies at the start of the step, as in the last touch
  /// @returns false if a value is not finite or the system cannot be solved
  [[nodiscard]] bool solve(const HeldBody& held, const CouplingLoad& load, ContactSet& contacts,
                           std::span<const BodyMotion> bodies) HAPTIC_REALTIME;

  /// After solve() has returned false: the body with a value that is not finite;
  /// WorldOutput::kNoBody if none has one.
  std::uint32_t failed_body() const HAPTIC_REALTIME;

  /// Per body: not 0 if it does not move in this step, as it cannot or sleeps. Such bodies need not
  /// be completed.
  std::span<const char> still() const HAPTIC_REALTIME { return still_; }
  /// After a touch: wakes the islands that a body touches which is not still, or may touch in this
  /// step. @returns whether there are any
  bool wake_touched(const ContactSet& contacts) HAPTIC_REALTIME;
  /// After the bodies have been completed: those that have been slow for long enough are halted.
  void fall_asleep(const ContactSet& contacts) HAPTIC_REALTIME;
  /// For a step before which something has changed that bodies at rest feel.
  void wake_all() HAPTIC_REALTIME;
  /// Number of bodies that sleep.
  std::uint32_t asleep() const HAPTIC_REALTIME { return sleep_.count(); }

  /// Discards the last step.
  void reset() HAPTIC_REALTIME;

  /// Motion of the held body over the step.
  const Vector6& held_motion() const HAPTIC_REALTIME { return z_; }
  /// Motion of a free body over the step (FreeBody::complete).
  Vector6 free_motion(std::size_t member) const HAPTIC_REALTIME {
    return solver_.step().segment<6>(free_[member].first_unknown);
  }
  /// What its deformation adds to the torque on a free body (FreeBody::complete).
  Vector3 free_torque(std::size_t member) const HAPTIC_REALTIME;
  /// Change of the reduced coordinates of a member, and the weight of its contact forces
  /// (NewmarkIntegrator::complete).
  std::span<const double> change(std::size_t member) const HAPTIC_REALTIME;
  double contact_weight(std::size_t member) const HAPTIC_REALTIME { return weights_[member]; }
  /// Number of points that press at the step's end.
  std::uint32_t pressing() const HAPTIC_REALTIME { return solver_.pressing(); }
  /// Energy that contacts have created and damping has not yet taken out [J] (ContactEnergy).
  double created_energy() const HAPTIC_REALTIME { return energy_.created(); }
  /// Work of the contacts since the start, without sign [J].
  double contact_work() const HAPTIC_REALTIME { return energy_.work(); }
  /// Points that touch at the step's start or come in during the step and have no row of their own.
  std::uint32_t without_row() const HAPTIC_REALTIME {
    return static_cast<std::uint32_t>(touching_without_row_ + entering_without_row_);
  }
  /// Wrench of contacts and joints on the held body at the step's end.
  const Wrench& contact_wrench() const HAPTIC_REALTIME { return wrench_; }
  /// How the held body gives way within a step to a hand that moves on (World::held_response).
  /// In contact it costs one factorisation, in the air a test of every point. None where it has a
  /// joint. @param bodies  after the step @pre solve() has returned true
  HeldResponse response(const HeldBody& held, ContactSet& contacts,
                        std::span<const BodyMotion> bodies) HAPTIC_REALTIME;
  JointSet& joints() HAPTIC_REALTIME { return joints_; }
  PullSpring& pull() HAPTIC_REALTIME { return pull_; }
  const PullSpring& pull() const HAPTIC_REALTIME { return pull_; }
  const JointSet& joints() const HAPTIC_REALTIME { return joints_; }
  /// The system of the last step: its rows and what its last solution took.
  const ContactSolver& solver() const HAPTIC_REALTIME { return solver_; }

 private:
  static constexpr std::uint32_t kNoPair = ~std::uint32_t{0};
  /// What the rows of one pair need.
  struct Frame {
    const ContactSet::Pair* pair;
    const RowSupport* rows;  // after use_blocks_of
    const BodyMotion *points, *field;
    Matrix3 world_to_points, world_to_field;
    double factor;   // for contacts beyond the capacity
    double relaxes;  // part of the motion along normals that is damped (frame_of)
    double grips;    // the same of friction springs
    double moves;    // how far the place of a force follows the points' body (expect)
    bool expects;    // whether contacts are linearised about the motion without contact (expect)
    Vector3 middle;  // of the points that touch, weighted by their forces; world [m]
    bool has_middle;
    std::size_t kept;
    std::size_t room;  // most points that come into contact
  };

  /// The contact of a point about the motion that both bodies have with the velocities of the
  /// start.
  struct Expected {
    Vector3 normal;   // there
    Vector3 place;    // to which the arms of its rows lead, at the start of the step, world [m]
    Vector3 motion;   // of the point relative to the field [m]
    Vector3 rows;     // what three rows along the axes give for that motion [m]
    double distance;  // along the normal, at this motion [m]
    double rolls;  // part of the motion along the normal by which one body rolls on the other [m]
    /// Of a row along `direction`: what its displacement differs by from the motion.
    double shift(const Vector3& direction) const HAPTIC_REALTIME {
      return direction.dot(motion - rows);
    }
  };
  /// Where and when a point enters the field, for the anchor of its friction.
  struct Entry {
    Vector3 place;  // on the field's body, in its pose at the start of the step, world [m]
    double height;  // of that place above the surface [m]
    double part;    // fraction of the step that remains after it
    bool on_path;   // whether its contact is linearised there
    Expected expected{};
  };
  /// A friction contact of the solver. Its spring may have a damper in parallel: a spring of
  /// `stiffness` whose stretch is shorter by `damped` at the start has the force of both.
  struct Tangent {
    std::uint32_t normal;  // index of its normal contact
    std::uint32_t pair, point;
    double stiffness;
    Vector3 u, v;  // directions of its rows, world axes
    double static_coefficient, dynamic_coefficient;
    double before[2];  // its motion along them in the last step [m]
    bool slides;       // the dynamic coefficient holds
    bool enters;
    Entry entry{};                  // of a point that enters during the step
    bool tried = false;             // whether it may stick although it slid before
    double damped[2] = {0.0, 0.0};  // along its rows [m]
    double grips = 0.0;             // part of `stiffness` that is the damper's
  };
  /// Friction of a pair of rigid bodies, whose points stick together.
  struct PairFriction {
    enum class State : std::uint8_t { kFresh, kSticks, kSlides };
    State state = State::kFresh;  // at the end of the last step
    bool slides = false;          // the dynamic coefficient holds in this step
    // Sums over the points that press: of the normal forces, all and of those at their limit [N];
    // of the normal forces times the products of the motions in this step and the last one.
    double pressed = 0.0, at_limit = 0.0, onward = 0.0;
    // Sums of the normal forces times the motion in this step, and times the longest stretch of the
    // spring [N m].
    double moved = 0.0, reach = 0.0;
    double slip = 0.0;  // while all points have been at their limits [m]
  };

  /// Friction of a pair against rolling and spinning.
  struct TurnFriction {
    double rolling = 0.0, spinning = 0.0;  // arms of the torques [m]
    Vector3 normal = Vector3::Zero();      // of the pair's forces in the last step; zero: none
    double pressed = 0.0;                  // sum of its normal forces, in the last solution [N]
    Vector3 stretch = Vector3::Zero();     // of the spring of what does not turn, world [rad]
    std::uint32_t rolls = kNoPair, spins = kNoPair;    // friction contacts of the solver
    Vector3 u = Vector3::Zero(), v = Vector3::Zero();  // axes of rolls
    double stiffness = 0.0;                            // of both [N m/rad]
  };

  struct Entering {
    std::uint32_t pair;
    bool has_friction;  // in the solver
    Entry entry;
  };

  /// Damping of a body that takes out what a pair has created.
  struct Damper {
    std::uint32_t pair;
    std::size_t member;
    double rate = 0.0;  // force over change of q in this step [1/s^2]
  };
  /// The same of a held body with a mass, in a pair of rigid bodies. It takes out what the pair has
  /// created lately, of what differs from the lasting motion: a press into points whose normals
  /// lean stores more than its work, and so does a slide over them, and both would be braked.
  struct HeldDamper {
    std::uint32_t pair;
    double account = 0.0;  // of the pair at the start of the last step [J]
    double due = 0.0;      // [J]
    double rate = 0.0;     // force over mass and motion in this step [1/s^2]
  };

  /// A body that moves as a whole.
  struct Rigid {
    std::ptrdiff_t first_unknown = -1;  // -1: at rest
    std::uint32_t block = 0;
    Vector3 origin = Vector3::Zero();  // about which it turns, world [m]
    double radius = 0.0;               // of its points about the origin [m]
    // Of a free body: its motion over a step with the velocities of the start, and the matrix that
    // gives the change of an arm by the rotation of this motion.
    Vector6 expected = Vector6::Zero();
    Matrix3 swing = Matrix3::Zero();
    // The same of the rotation that lasts, without that of rocking: rotation vector over a step,
    // and its matrix.
    Vector3 rolling = Vector3::Zero();
    Matrix3 rolling_swing = Matrix3::Zero();
    double moment = 0.0;  // of a free body: sum of its moments of inertia [kg m^2]
    double mass = 0.0;    // of a free body [kg]
    // What its motion over the step is less than the solution, as impacts came within the step.
    Vector6 late = Vector6::Zero();
    bool jointed = false;
    bool rests = false;  // whether it touches something at the start; while impacts are found
  };
  /// The reduced coordinates of a body that deforms.
  struct Shape {
    std::ptrdiff_t first_unknown = -1;  // -1: does not deform
    std::uint32_t block = 0;
    std::uint32_t before = 0;  // unknowns of the block before them
    std::size_t at = 0;        // in change_
    std::uint32_t used = 0;    // unknowns of this step; those behind are zero
  };
  struct Free {
    FreeMember member;
    std::ptrdiff_t first_unknown;
    FreeBody::StepSystem system;  // of the current step
    // Of one that deforms (FloatingInertia): C / dt^2 in world axes, C^T J^-1 C / dt^2, spin / dt
    // in world axes.
    Eigen::Matrix3Xd coupling;
    Eigen::MatrixXd turning;
    Vector3 spin = Vector3::Zero();
  };

  /// The unknown of a pair with a wall: by how much it gives way further in this step
  /// (ContactWall).
  struct Wall {
    std::uint32_t pair, block;
    Eigen::Index unknown;
    double give = 0.0;  // at the start of the step [m]
  };

  /// Which way of the last solution brings the points of a pair to its field: that of both bodies
  /// one after the other, or that of one relative to the other.
  enum class Way : std::uint8_t { kOfBoth, kRelative };
  /// kNew: pairs that may have points that come, but came in none of the solutions before.
  enum class Which : std::uint8_t { kAll, kNew };
  struct Sweep {
    Which which;
    Way way;
  };
  /// Approaching points take part up to this distance, as a multiple of the motion found without
  /// them.
  static constexpr double kReach = 2.0;
  /// How far beyond a face the inside of another body is looked for, as a multiple of the depth of
  /// the point (leaving_union).
  static constexpr double kBeyondFace = 1.5;
  /// A point of a pair, and what decides whether it gets a row.
  struct Rank {
    double value;
    std::uint32_t index;
  };

  /// A point of an impact.
  struct Impact {
    std::uint32_t pair, point;
    Vector3 place, normal;            // world
    double time = 1.0;                // when it comes into contact, fraction of the step
    bool hits = false;                // fast enough; the others only take part
    std::uint32_t tangent = kNoPair;  // of the solver; kNoPair: no friction
  };

  Frame frame_of(const ContactSet::Pair& pair,
                 std::span<const BodyMotion> bodies) const HAPTIC_REALTIME;
  double mass_of(const ContactSet::Pair* pair) const HAPTIC_REALTIME;
  bool rolls_on(const ContactSet::Pair& pair) const HAPTIC_REALTIME;
  void use_blocks_of(std::uint32_t pair, Frame& frame) HAPTIC_REALTIME;
  Expected expect(const Frame& frame, const Vector3& position, const Vector3& normal,
                  double distance) const HAPTIC_REALTIME;
  bool find(const HeldBody& held, const HeldBody::StepSystem& rows, const ContactSet& contacts,
            std::span<const BodyMotion> bodies, bool first) HAPTIC_REALTIME;
  void shape(const FreeMember& free) HAPTIC_REALTIME;
  std::uint32_t shape_offset(const RowSupport& rows, std::size_t body) const HAPTIC_REALTIME {
    return rows.offset(shapes_[body].block) + shapes_[body].before;
  }
  void couple(Free& free) HAPTIC_REALTIME;
  void set_up_walls(std::span<const ContactSet::Pair> pairs, std::size_t first_unknown);
  void add_walls(const ContactSet& contacts) HAPTIC_REALTIME;
  const Wall* wall_of(std::uint32_t pair) const HAPTIC_REALTIME {
    return wall_of_[pair] < 0 ? nullptr : &walls_[static_cast<std::size_t>(wall_of_[pair])];
  }
  double give_at_start(std::uint32_t pair) const HAPTIC_REALTIME {
    return wall_of_[pair] < 0 ? 0.0 : wall_of(pair)->give;
  }
  double give_at_end(std::uint32_t pair) const HAPTIC_REALTIME;
  double damping_of_rows(const ContactSettings& settings) const HAPTIC_REALTIME {
    return settings.wall > 0.0 ? 0.0 : settings.damping / dt_;
  }
  void couple_wall(const Frame& frame, std::uint32_t pair, std::uint32_t contact, double slope,
                   double* row) HAPTIC_REALTIME;
  void clear_unused(std::size_t body, double* row) const HAPTIC_REALTIME;
  void add_bodies(const HeldBody::StepSystem& rows) HAPTIC_REALTIME;
  JointedBody::Placement placement_of(std::size_t body,
                                      std::span<const BodyMotion> bodies) const HAPTIC_REALTIME;
  void place_joints(std::span<const BodyMotion> bodies) HAPTIC_REALTIME;
  void add_carried(const ContactSet& contacts) HAPTIC_REALTIME;
  void add_contacts(const ContactSet& contacts, std::span<const BodyMotion> bodies) HAPTIC_REALTIME;
  static void choose(std::span<Rank> ranks, std::size_t count) HAPTIC_REALTIME;
  std::span<const Rank> pairs_with_rows(const ContactSet& contacts) HAPTIC_REALTIME;
  void rank_by_energy(std::span<const Contact> contacts, Frame& frame) HAPTIC_REALTIME;
  bool add_contact(const Frame& frame, std::uint32_t pair, const Contact& contact) HAPTIC_REALTIME;
  double distance_to(std::size_t body, std::span<const BodyMotion> bodies,
                     const Vector3& position) const HAPTIC_REALTIME;
  template <class Visit>
  bool any_neighbour(const ContactSet& contacts, std::uint32_t pair,
                     Visit visit) const HAPTIC_REALTIME;
  void list_near(const ContactSet& contacts) HAPTIC_REALTIME;
  bool has_neighbours(const ContactSet::Pair& pair) const HAPTIC_REALTIME {
    const std::uint32_t last = last_near_[pair.points];
    return last != kNoPair && near_before_[last] != kNoPair;
  }
  double paid_depth(std::uint32_t pair, const Contact& contact) const HAPTIC_REALTIME;
  bool is_inside_neighbour(const ContactSet& contacts, std::span<const BodyMotion> bodies,
                           std::uint32_t pair, const Vector3& place) const HAPTIC_REALTIME;
  Contact leaving_union(const ContactSet& contacts, std::span<const BodyMotion> bodies,
                        std::uint32_t pair, const Contact& contact) const HAPTIC_REALTIME;
  bool add_approaching(const ContactSet& contacts, std::span<const BodyMotion> bodies,
                       bool first) HAPTIC_REALTIME;
  template <class Visit>
  void for_each_waiting(const ContactSet& contacts, std::span<const BodyMotion> bodies, Sweep sweep,
                        Visit visit) HAPTIC_REALTIME;
  std::size_t count_entering(const ContactSet& contacts, std::span<const BodyMotion> bodies,
                             Sweep sweep) HAPTIC_REALTIME;
  bool add_coming(const ContactSet& contacts, std::span<const BodyMotion> bodies, Sweep sweep,
                  std::size_t rows) HAPTIC_REALTIME;
  std::size_t rows_left() const HAPTIC_REALTIME { return solver_.capacity() - solver_.contacts(); }
  bool is_idle(std::uint32_t entering) const HAPTIC_REALTIME;
  std::size_t count_idle() const HAPTIC_REALTIME;
  std::span<double> row_for(const Frame& frame, const Entering& entering,
                            const ApproachingPoint& point, double damping, double shift,
                            double undamped) HAPTIC_REALTIME;
  double way_of(const ContactSet::Pair& pair, Way way) const HAPTIC_REALTIME;
  std::size_t find_coming(const ContactSet& contacts, std::span<const BodyMotion> bodies,
                          std::uint32_t pair, Frame& frame, Way way) HAPTIC_REALTIME;
  std::size_t add_rows(std::uint32_t pair, const Frame& frame, std::size_t coming) HAPTIC_REALTIME;
  bool is_fast(std::uint32_t pair) const HAPTIC_REALTIME { return is_fast_[pair] != 0; }
  void find_fast(const ContactSet& contacts) HAPTIC_REALTIME;
  bool goes_further(std::uint32_t pair, const ContactSet::Pair& of) const HAPTIC_REALTIME;
  StepMotion step_motion(std::size_t body) const HAPTIC_REALTIME;
  bool enters(const Frame& frame, std::uint32_t pair, ApproachingPoint& near,
              Entry& entry) const HAPTIC_REALTIME;
  double motion_along_normal(const Frame& frame, const ApproachingPoint& near) HAPTIC_REALTIME;
  Vector3 relative_motion(const Frame& frame, std::uint32_t point,
                          const Vector3& position) HAPTIC_REALTIME;
  bool passes_edge(const Frame& frame, std::uint32_t pair,
                   const ApproachingPoint& near) HAPTIC_REALTIME;
  bool approaches(const Frame& frame, const ApproachingPoint& near) HAPTIC_REALTIME;
  bool add_friction_of_entering(const ContactSet& contacts,
                                std::span<const BodyMotion> bodies) HAPTIC_REALTIME;
  void prepare(Free& free) HAPTIC_REALTIME;
  void load_motion(Free& free) HAPTIC_REALTIME;
  bool strike(const ContactSet& contacts, std::span<const BodyMotion> bodies) HAPTIC_REALTIME;
  bool may_strike(const ContactSet& contacts) const HAPTIC_REALTIME;
  void load_masses() HAPTIC_REALTIME;
  void load_approach() HAPTIC_REALTIME;
  bool find_impacts(const ContactSet& contacts, std::span<const BodyMotion> bodies,
                    double at_once) HAPTIC_REALTIME;
  bool add_impacts(const Frame& frame, std::uint32_t pair, std::size_t coming,
                   double at_once) HAPTIC_REALTIME;
  void add_resting(const ContactSet& contacts) HAPTIC_REALTIME;
  void add_impact_rows(const ContactSet& contacts, std::span<const BodyMotion> bodies,
                       bool bounces) HAPTIC_REALTIME;
  bool solve_impacts(const ContactSet& contacts) HAPTIC_REALTIME;
  void find_approach() HAPTIC_REALTIME;
  void limit_energy() HAPTIC_REALTIME;
  void apply_impacts() HAPTIC_REALTIME;
  Expected expect_without_impact(const Frame& frame, const Vector3& position, const Vector3& normal,
                                 double distance) const HAPTIC_REALTIME;
  void add_late(const Frame& frame, Expected& at) const HAPTIC_REALTIME;
  Vector3 late_motion(const Frame& frame, const Vector3& place) const HAPTIC_REALTIME;
  void set_up_sleep();
  std::uint32_t own_block(std::size_t body) const HAPTIC_REALTIME;
  void find_still() HAPTIC_REALTIME;
  bool moves(std::size_t body) const HAPTIC_REALTIME {
    return body < still_.size() && own_block(body) != ContactSolver::kNoBlock;
  }
  void wake_pulled() HAPTIC_REALTIME;
  void wake_driven() HAPTIC_REALTIME;
  void raise_speeds_of_driven() HAPTIC_REALTIME;
  std::uint32_t block_of(std::uint32_t pair) const HAPTIC_REALTIME {
    return supports_[pair]->blocks[0];
  }
  void mark_awake() HAPTIC_REALTIME {
    for (std::uint32_t block = 0; block < marked_.size(); ++block) {
      marked_[block] = sleep_.sleeps(block) ? 0 : 1;
    }
  }
  void mark_none() HAPTIC_REALTIME { std::ranges::fill(marked_, 0); }
  void mark_block(std::uint32_t block) HAPTIC_REALTIME { marked_[block] = 1; }
  void spread_marks(std::span<char> marks) HAPTIC_REALTIME;
  bool may_change(const ContactSet::Pair& pair) const HAPTIC_REALTIME;
  void set_limits() HAPTIC_REALTIME;
  /// Index of a friction contact in the solver: those against turning come first.
  std::uint32_t row_of(std::uint32_t tangent) const HAPTIC_REALTIME {
    return turn_count_ + tangent;
  }
  std::uint32_t pair_of_normal(std::uint32_t i) const HAPTIC_REALTIME {
    return i < touching_ ? pair_of_[i] : entering_[i - touching_].pair;
  }
  void set_up_turning(std::span<const ContactSet::Pair> pairs);
  void add_turning(const ContactSet& contacts) HAPTIC_REALTIME;
  std::uint32_t add_turn(const Frame& frame, const TurnFriction& turn, const Vector3& u,
                         const Vector3& v, double arm) HAPTIC_REALTIME;
  double turning_stiffness(const ContactSet::Pair& pair) const HAPTIC_REALTIME;
  void add_up_pressed() HAPTIC_REALTIME;
  void set_turning_limits() HAPTIC_REALTIME;
  void settle_turning() HAPTIC_REALTIME;
  bool predict(ContactSolver::Start start, ContactSolver::Accuracy accuracy) HAPTIC_REALTIME;
  bool balance(ContactSolver::Start start) HAPTIC_REALTIME;
  void load_solution() HAPTIC_REALTIME;
  bool is_pushed(const Vector6& resistance) const HAPTIC_REALTIME;
  bool limit_speed(const HeldBody& held) HAPTIC_REALTIME;
  bool spread_forces() HAPTIC_REALTIME;
  bool exceeds_friction() HAPTIC_REALTIME;
  static double coefficient_of(const Tangent& tangent) HAPTIC_REALTIME {
    return tangent.slides ? tangent.dynamic_coefficient : tangent.static_coefficient;
  }
  bool is_at_limit(std::uint32_t tangent) const HAPTIC_REALTIME;
  double onward(std::uint32_t tangent) const HAPTIC_REALTIME;
  bool may_slide(const ContactSettings& settings, std::uint32_t pair,
                 bool slid) const HAPTIC_REALTIME;
  void add_up_friction() HAPTIC_REALTIME;
  bool review_sticking() HAPTIC_REALTIME;
  bool correct_joints(int closing) HAPTIC_REALTIME;
  /// Largest number of further solutions that close the joints, and of those before the pull of the
  /// joints is taken into account (JointSet::end_relinearising).
  static constexpr int kMaxClosings = 18, kPlainClosings = 10;
  void settle_friction(ContactSet& contacts) HAPTIC_REALTIME;
  void damp_created_energy(const ContactSet& contacts, bool first) HAPTIC_REALTIME;
  void damp_held(bool first) HAPTIC_REALTIME;
  void hold_back_unpaid() HAPTIC_REALTIME;
  void settle_energy() HAPTIC_REALTIME;
  void add_dampers(std::span<const ContactSet::Pair> pairs);
  bool follow_fields(const ContactSet& contacts,
                     std::span<const BodyMotion> bodies) HAPTIC_REALTIME;
  bool find_ends(const ContactSet& contacts, std::span<const BodyMotion> bodies) HAPTIC_REALTIME;
  bool turn_contacts(const ContactSet& contacts,
                     std::span<const BodyMotion> bodies) HAPTIC_REALTIME;
  bool bound_turned(const ContactSet& contacts) HAPTIC_REALTIME;
  /// Whether a normal contact's field can be looked up: it touches or presses in a rigid field.
  bool looks_up(std::uint32_t normal) const HAPTIC_REALTIME {
    return linearised_[normal].unit_stiffness > 0.0 &&
           (normal < touching_ || solver_.normal_force(normal) > 0.0);
  }
  bool creates(std::uint32_t pair) const HAPTIC_REALTIME;
  bool turn_contact(const Frame& frame, std::uint32_t normal) HAPTIC_REALTIME;
  double change_of(const FieldPlane& plane, const Frame& frame,
                   const Linearised& of) HAPTIC_REALTIME;
  void use_plane(const FieldPlane& plane, const Frame& frame, std::uint32_t normal) HAPTIC_REALTIME;
  bool tie(const Frame& frame, FieldFold& fold) HAPTIC_REALTIME;
  /// Adds the derivatives of direction . (point of the shell - point of the field) to rows.
  template <std::size_t kRows>
  void add_motion(const Frame& frame, std::uint32_t point, const Vector3& position,
                  const Vector3 (&directions)[kRows], double* const (&rows)[kRows]) HAPTIC_REALTIME;
  double way(std::size_t body, const Vector6& z) const HAPTIC_REALTIME;
  double deformation(std::size_t body, double factor,
                     std::span<const double> dq) const HAPTIC_REALTIME;

  double dt_;
  std::size_t held_body_;
  std::vector<const PointShell*> shells_;  // per body; nullptr without one
  std::vector<const SignedField*> fields_;
  std::vector<Shape> shapes_;  // per body
  std::vector<Rigid> rigid_;   // per body
  std::vector<std::uint32_t> body_of_block_;
  std::vector<Member> members_;
  std::vector<Free> free_;
  std::uint32_t newton_iterations_;
  bool friction_ = false;
  std::size_t contact_count_ = 0;  // of the current step, without the capacity
  JointSet joints_;
  PullSpring pull_;
  ContactSolver solver_;
  std::vector<Wall> walls_;
  std::vector<std::ptrdiff_t> wall_of_;  // per pair: in walls_; -1: none
  std::size_t most_touching_;            // contacts at the start of a step with rows
  // Per block: whether its island has another solution. The others keep what they have.
  std::vector<char> marked_, solved_;  // in the next solution; in the last one
  std::vector<char> closing_;          // while joints are closed
  // Per block, of the island of which it is the first.
  std::vector<double> excess_, friction_sum_;
  std::vector<double> joint_error_, last_joint_error_;
  std::size_t motion_width_;
  std::vector<const RowSupport*> supports_;    // per pair; nullptr: no rows yet
  std::vector<ApproachingPoint> approaching_;  // normal contacts of the solver that do not touch
  std::vector<Entering> entering_;             // one for each
  std::uint32_t entering_count_ = 0;           // of both
  std::uint32_t touching_ = 0;                 // normal contacts of the solver before them
  std::uint32_t known_entering_ = 0;           // of them, before those that are being added
  std::uint32_t next_idle_ = 0;                // of those, from here on rows may be given to others
  bool scarce_ = false;  // whether more points may come into contact than there are rows
  std::size_t touching_without_row_ = 0;      // points, in this step
  std::size_t entering_without_row_ = 0;      // likewise, in the last sweep
  std::vector<double> motion_rows_;           // three rows of motion_width_
  std::vector<ApproachingPoint> candidates_;  // of one pair
  std::vector<Entry> entries_;                // one for each
  std::vector<Rank> ranks_;                   // of the points of one pair
  std::vector<Rank> pair_ranks_;              // of the pairs that touch
  std::vector<std::uint64_t> marks_;          // per point of the largest shell
  std::uint64_t mark_ = 0;                    // the last one set
  std::vector<PairFriction> frictions_;       // per pair
  // The pairs of each body's points that are near, as a list: the last one of each body, and of
  // each pair the one before; kNoPair: none.
  std::vector<std::uint32_t> last_near_, near_before_;
  std::vector<Tangent> tangents_;
  Eigen::VectorXd last_motion_;  // the solution of the last step
  std::uint32_t tangent_count_ = 0;
  std::vector<TurnFriction> turns_;     // per pair; empty: no pair has friction against turning
  std::vector<std::uint32_t> turning_;  // pairs whose friction against turning is in the step
  std::uint32_t turn_count_ = 0;        // their friction contacts of the solver
  std::vector<double> edges_;           // of the pairs' fields [m]
  std::vector<std::vector<double>> reaches_;  // per body: |U_s| of each mode, largest over points
  std::vector<double> motion_bounds_;         // per body
  double slipping_ = 0.0;       // largest motion of the held body's points without its contacts [m]
  std::vector<char> is_fast_;   // per pair: whether points can move by several voxels in the step
  std::vector<char> may_slip_;  // per pair: the held body and another one, of which neither deforms
  std::vector<double> searched_;  // per pair: how far points were last looked for [m]
  std::vector<double> weights_;   // per member
  ContactEnergy energy_;
  bool had_too_few_rows_ = false;  // in the last step
  std::vector<char> is_rigid_;     // per pair: neither body deforms
  std::vector<char> is_unpaid_;    // per pair: its contacts store what had too few rows
  std::vector<double> pushes_;     // per pair: sum of k d of the rows that touch [N]
  std::vector<Damper> dampers_;    // up to two for each pair
  std::vector<HeldDamper> held_dampers_;
  // Mean motion of the held body over a step, and the part of it that it has in this step.
  Vector6 held_drift_ = Vector6::Zero(), lasting_ = Vector6::Zero();
  std::vector<std::uint32_t> pair_of_;  // per normal contact of the solver that touches
  std::vector<char> may_turn_;          // per pair: along the gradient of a rigid body's field
  std::vector<char> looks_up_;          // likewise: it may create energy in this step
  std::vector<Linearised> linearised_;  // per normal contact of the solver
  std::vector<EndSample> ends_;         // likewise; an infinite value: not looked up
  std::vector<FieldFold> folds_;        // the first fold_count_
  std::uint32_t fold_count_ = 0;
  std::vector<EndDepth> end_depths_;  // the first end_depth_count_: of the last step
  std::uint32_t end_depth_count_ = 0;
  bool knows_depths_ = false;  // whether all points that touched had a row in it
  // Per pair, at the end of a solution: what its fields store, and by how much that is more than
  // its rows say [J].
  std::vector<double> end_energy_, turned_energy_;
  std::vector<double> wall_shares_;  // per normal contact of the solver: that of couple_wall()
  std::vector<double> change_;       // of all members
  std::vector<double> added_;        // carried forces, likewise
  bool restitutes_;                  // whether a pair has a coefficient of restitution
  double impact_speed_;              // least one of an impact [m/s]
  std::vector<Impact> impacts_;      // the first impact_count_
  std::uint32_t impact_count_ = 0;
  std::vector<double> impact_times_;  // per island, at its first block
  // Motions over a step with the velocities before an impact, after one without restitution, after.
  Eigen::VectorXd approach_, inelastic_, rebound_;
  SleepingBlocks sleep_;
  std::vector<char> still_;       // per body
  std::vector<char> stay_awake_;  // per block: its island never sleeps
  std::vector<double> speeds_;    // per block [m/s]
  // Per island, at its first block: the longest relaxation time of its servos over sleep_s, >= 1.
  std::vector<double> creeps_;
  double sleep_s_;
  bool started_ = false;  // whether there has been a step since the reset
  // The body for which begin() has failed; kNoBody: none.
  std::uint32_t unshaped_ = WorldOutput::kNoBody;
  Vector6 z_ = Vector6::Zero();
  HeldBody::StepSystem hand_;
  Vector6 hand_damping_ = Vector6::Ones();  // by what the matrix of hand_ is multiplied
  Wrench carried_, wrench_;
};

}  // namespace haptic::solids
