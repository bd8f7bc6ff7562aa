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
  static constexpr std::uint32_t kMostUnknowns = 3200;

  /// Whether the world makes this step: `dynamics.contact`; by default, if nothing excludes it. A
  /// free body or a joint needs it.
  /// @throws InputError if the scene asks for the step, or has a free body or a joint, and asks for
  ///         something that excludes it
  static bool chosen_by(const Scene& scene);

  /// @param members, free  outlive this object, as do the models
  /// @throws InputError if there are more than kMostUnknowns, or a joint has a body that deforms
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
  /// Points that touch at the step's start or come in during the step and have no row of their own.
  std::uint32_t without_row() const HAPTIC_REALTIME {
    return static_cast<std::uint32_t>(touching_without_row_ + entering_without_row_);
  }
  /// Wrench of contacts and joints on the held body at the step's end.
  const Wrench& contact_wrench() const HAPTIC_REALTIME { return wrench_; }
  JointSet& joints() HAPTIC_REALTIME { return joints_; }
  PullSpring& pull() HAPTIC_REALTIME { return pull_; }
  const PullSpring& pull() const HAPTIC_REALTIME { return pull_; }
  const JointSet& joints() const HAPTIC_REALTIME { return joints_; }
  /// The system of the last step: its rows and what its last solution took.
  const ContactSolver& solver() const HAPTIC_REALTIME { return solver_; }

 private:
  /// What the rows of one pair need.
  struct Frame {
    const ContactSet::Pair* pair;
    const RowSupport* rows;  // after use_blocks_of
    const BodyMotion *points, *field;
    Matrix3 world_to_points, world_to_field;
    double factor;  // for contacts beyond the capacity
    std::size_t kept;
    std::size_t room;  // most points that come into contact
  };

  /// Where and when a point enters the field, for the anchor of its friction.
  struct Entry {
    Vector3 place;  // on the field's body, in its pose at the start of the step, world [m]
    double height;  // of that place above the surface [m]
    double part;    // fraction of the step that remains after it
  };
  /// A friction contact of the solver.
  struct Tangent {
    std::uint32_t normal;  // index of its normal contact
    std::uint32_t pair, point;
    double coefficient, stiffness;
    Vector3 u, v;  // directions of its rows, world axes
    Entry entry;   // of a point that enters during the step
    bool enters;
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

  /// A body that moves as a whole.
  struct Rigid {
    std::ptrdiff_t first_unknown = -1;  // -1: at rest
    std::uint32_t block = 0;
    Vector3 origin = Vector3::Zero();  // about which it turns, world [m]
    double radius = 0.0;               // of its points about the origin [m]
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
  /// A point of a pair, and what decides whether it gets a row.
  struct Rank {
    double value;
    std::uint32_t index;
  };

  Frame frame_of(const ContactSet::Pair& pair,
                 std::span<const BodyMotion> bodies) const HAPTIC_REALTIME;
  void use_blocks_of(std::uint32_t pair, Frame& frame) HAPTIC_REALTIME;
  bool find(const HeldBody& held, const HeldBody::StepSystem& rows, const ContactSet& contacts,
            std::span<const BodyMotion> bodies, bool first) HAPTIC_REALTIME;
  void shape(const FreeMember& free) HAPTIC_REALTIME;
  std::uint32_t shape_offset(const RowSupport& rows, std::size_t body) const HAPTIC_REALTIME {
    return rows.offset(shapes_[body].block) + shapes_[body].before;
  }
  void couple(Free& free) HAPTIC_REALTIME;
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
  bool add_approaching(const ContactSet& contacts, std::span<const BodyMotion> bodies,
                       bool first) HAPTIC_REALTIME;
  template <class Visit>
  void for_each_waiting(const ContactSet& contacts, std::span<const BodyMotion> bodies, Sweep sweep,
                        Visit visit) HAPTIC_REALTIME;
  std::size_t count_coming(const ContactSet& contacts, std::span<const BodyMotion> bodies,
                           Sweep sweep) HAPTIC_REALTIME;
  bool add_coming(const ContactSet& contacts, std::span<const BodyMotion> bodies, Sweep sweep,
                  std::size_t rows) HAPTIC_REALTIME;
  std::size_t rows_left() const HAPTIC_REALTIME { return solver_.capacity() - solver_.contacts(); }
  bool is_idle(std::uint32_t entering) const HAPTIC_REALTIME;
  std::size_t count_idle() const HAPTIC_REALTIME;
  std::span<double> row_for(const Entering& entering, const ApproachingPoint& point,
                            double damping) HAPTIC_REALTIME;
  double way_of(const ContactSet::Pair& pair, Way way) const HAPTIC_REALTIME;
  std::size_t find_coming(std::uint32_t pair, Frame& frame, Way way) HAPTIC_REALTIME;
  std::size_t add_rows(std::uint32_t pair, const Frame& frame, std::size_t coming) HAPTIC_REALTIME;
  bool is_fast(std::uint32_t pair, const ContactPair& contact) const HAPTIC_REALTIME;
  StepMotion step_motion(std::size_t body) const HAPTIC_REALTIME;
  bool enters(const Frame& frame, ApproachingPoint& near, Entry& entry) const HAPTIC_REALTIME;
  double motion_along_normal(const Frame& frame, const ApproachingPoint& near) HAPTIC_REALTIME;
  bool approaches(const Frame& frame, const ApproachingPoint& near) HAPTIC_REALTIME;
  bool add_friction_of_entering(const ContactSet& contacts,
                                std::span<const BodyMotion> bodies) HAPTIC_REALTIME;
  void prepare(Free& free) HAPTIC_REALTIME;
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
  bool predict(ContactSolver::Start start, ContactSolver::Accuracy accuracy) HAPTIC_REALTIME;
  bool balance(ContactSolver::Start start) HAPTIC_REALTIME;
  void load_solution() HAPTIC_REALTIME;
  bool is_pushed(const Vector6& resistance) const HAPTIC_REALTIME;
  bool limit_speed(const HeldBody& held) HAPTIC_REALTIME;
  bool spread_forces() HAPTIC_REALTIME;
  bool exceeds_friction() HAPTIC_REALTIME;
  bool correct_joints() HAPTIC_REALTIME;
  void settle_friction(ContactSet& contacts) HAPTIC_REALTIME;
  void damp_created_energy(const ContactSet& contacts, bool first) HAPTIC_REALTIME;
  void hold_back_unpaid() HAPTIC_REALTIME;
  void settle_energy() HAPTIC_REALTIME;
  void add_dampers(std::span<const ContactSet::Pair> pairs);
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
  std::size_t most_touching_;  // contacts at the start of a step with rows
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
  std::vector<Tangent> tangents_;
  std::uint32_t tangent_count_ = 0;
  std::vector<double> edges_;                 // of the pairs' fields [m]
  std::vector<std::vector<double>> reaches_;  // per body: |U_s| of each mode, largest over points
  std::vector<double> motion_bounds_;         // per body
  std::vector<double> weights_;               // per member
  ContactEnergy energy_;
  bool had_too_few_rows_ = false;       // in the last step
  std::vector<char> is_rigid_;          // per pair: neither body deforms
  std::vector<char> is_unpaid_;         // per pair: its contacts store what had too few rows
  std::vector<double> pushes_;          // per pair: sum of k d of the rows that touch [N]
  std::vector<Damper> dampers_;         // up to two for each pair
  std::vector<std::uint32_t> pair_of_;  // per normal contact of the solver that touches
  std::vector<double> change_;          // of all members
  std::vector<double> added_;           // carried forces, likewise
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
