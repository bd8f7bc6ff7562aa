#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/contact/block_islands.h"
#include "rt/contact/block_pattern.h"
#include "rt/contact/elimination_order.h"
#include "rt/contact/normal_equations.h"
#include "rt/contact/row_support.h"
#include "rt/contact/small_cholesky.h"
#include "shared/memory/huge_vector.h"
#include "shared/realtime.h"

namespace haptic {

/// Finds the displacement x over one step [n unknowns] at which the linear system of all bodies and
/// the contact forces at the end of the step are in balance:
///
///   A x - b = sum J_i^T f_i(x),   A symmetric and positive definite.
///
/// Every force is the negative gradient of a convex potential, so the solution is the unique
/// minimum of a convex function, and Newton's method with a line search converges at any stiffness
/// and damping (Castro et al. 2022). If A is indefinite (a buckling body), x is a stationary point.
/// Contacts:
///   - normal: distance e = d + shift + J x, force k max(0, -e) max(0, 1 - c v / dt), v the part of
///     e - d beyond what is between 0 and `undamped`;
///   - friction: tangential stretch s = s0 + J x (two rows), force -k s up to a magnitude of
///     `limit`;
///   - link (of joints and servos): stretch s = d + J x of either sign, force -k s up to `limit`.
///
/// The unknowns are divided into blocks, one or two for each body. A has no elements outside the
/// blocks on its diagonal, and a contact couples a few blocks; the cost is that of the blocks that
/// are coupled. Blocks that rows couple form islands; each is solved by itself, and its solution is
/// that of a solver with these blocks only.
///
/// Links may be 1e8 times stiffer than A: with links, a solution is refined by its residual, so
/// that it keeps the accuracy that it has without them.
///
/// Use: clear(); fill matrix() and load(); add rows; solve(). Allocates in the constructor only.
/// Source: docs/methods/contact-and-coupling.md, "Implicit contact step", "Sparse systems".
class ContactSolver {
 public:
  struct Sizes {
    std::span<const std::uint32_t> blocks;  ///< unknowns of each
    std::uint32_t width;                    ///< of the widest row (RowSupport::width)
    std::uint32_t supports;                 ///< largest number of calls of use_blocks
    std::uint32_t rows;                     ///< of normal contacts, and of friction contacts
    bool friction;                          ///< whether there can be friction contacts
    std::uint32_t links = 0;                ///< largest number of links
    std::uint32_t turns = 0;                ///< friction contacts beyond those of `friction`
  };
  explicit ContactSolver(const Sizes& sizes);
  /// One block. @param unknowns  n >= 1
  ContactSolver(std::uint32_t unknowns, std::uint32_t rows, bool friction);

  std::uint32_t unknowns() const HAPTIC_REALTIME { return static_cast<std::uint32_t>(b_.size()); }
  std::uint32_t capacity() const HAPTIC_REALTIME { return capacity_; }
  std::uint32_t contacts() const HAPTIC_REALTIME { return normals_; }

  /// Removes all contacts and sets A and b to zero.
  void clear() HAPTIC_REALTIME;
  /// Also discards the last solution: the next one begins at zero.
  void reset() HAPTIC_REALTIME;
  /// Sets the last solution of a block to zero.
  void forget(std::uint32_t block) HAPTIC_REALTIME {
    x_.segment(pattern_.first(block), pattern_.size(block)).setZero();
  }
  /// The rows added from here on have elements for these blocks; after clear(), for the first one.
  /// @param blocks  at most RowSupport::kMaxBlocks, ascending
  /// @returns the layout of the rows; valid until clear()
  const RowSupport& use_blocks(std::span<const std::uint32_t> blocks) HAPTIC_REALTIME;
  /// The same with the layout of an earlier call. @param support  of use_blocks, since clear()
  void use(const RowSupport& support) HAPTIC_REALTIME {
    support_ = &support;
    coupled_ = false;
  }
  /// A; only the lower triangles of the blocks on its diagonal are read.
  Eigen::MatrixXd& matrix() HAPTIC_REALTIME { return A_; }
  Eigen::VectorXd& load() HAPTIC_REALTIME { return b_; }

  struct Normal {
    double distance;   ///< d at the start of the step [m]
    double stiffness;  ///< k >= 0 [N/m]; 0 for a point of weight 0
    double damping;    ///< c / dt >= 0 [1/m]
    /// What the distance changes by at x = 0, where J is the derivative about another motion [m]:
    /// e = d + shift + J x.
    double shift = 0.0;
    double undamped =
        0.0;  ///< a motion e - d up to this is not damped, nor is its part in more [m]
  };
  /// @returns row J of the new contact (use_blocks), set to zero, for the caller to fill; empty if
  ///          the capacity is used up
  std::span<double> add_normal(const Normal& normal) HAPTIC_REALTIME;
  /// The same in place of the i-th normal contact.
  /// @pre normal_force(i) is 0, and no friction contact depends on it
  std::span<double> replace_normal(std::uint32_t i, const Normal& normal) HAPTIC_REALTIME;

  /// The same of a contact that may press, for the blocks that its row has; the equations are
  /// summed anew. @pre it has been in a solution since clear()
  std::span<double> relinearise_normal(std::uint32_t i, const Normal& normal) HAPTIC_REALTIME;
  const Normal& normal(std::uint32_t i) const HAPTIC_REALTIME { return normals_of_[i].of; }

  /// Raises the damping of the i-th normal contact. @pre it has been in no solution
  /// @param damping  c / dt >= 0 [1/m]
  void raise_damping(std::uint32_t i, double damping) HAPTIC_REALTIME {
    normals_of_[i].of.damping = std::max(normals_of_[i].of.damping, damping);
  }

  struct Tangent {
    double stretch[2];  ///< s0 [m]
    double stiffness;   ///< k > 0 [N/m]
    double limit;       ///< largest force >= 0 [N]
  };
  struct TangentRows {
    std::span<double> first, second;
  };
  /// @returns both rows of the new friction contact (use_blocks), set to zero; empty if the
  ///          capacity is used up
  TangentRows add_tangent(const Tangent& tangent) HAPTIC_REALTIME;
  /// Limit of the i-th friction contact. @param limit  >= 0 [N]
  void set_limit(std::uint32_t i, double limit) HAPTIC_REALTIME {
    tangents_of_[i].of.limit = limit;
  }

  double limit(std::uint32_t i) const HAPTIC_REALTIME { return tangents_of_[i].of.limit; }

  struct Link {
    double stretch;    ///< d [m or rad]
    double stiffness;  ///< k > 0 [N/m or N·m/rad]
    double limit;      ///< largest force > 0 [N or N·m]; infinity: none
  };
  /// @returns row J of the new link (use_blocks), set to zero; empty if the capacity is used up
  std::span<double> add_link(const Link& link) HAPTIC_REALTIME;
  /// Adds to the stretch d of the i-th link. @pre it has been in a solution since clear()
  void shift_link(std::uint32_t i, double by) HAPTIC_REALTIME;
  /// Replaces the row of the i-th link; the equations are summed anew. Call set_link_stretch() once
  /// it is filled. @returns the row, set to zero. @pre as of shift_link
  std::span<double> replace_link(std::uint32_t i) HAPTIC_REALTIME;
  /// Sets d such that the stretch at the last solution is s.
  void set_link_stretch(std::uint32_t i, double s) HAPTIC_REALTIME;
  /// Largest force of the i-th link. @param limit  > 0 [N or N·m]
  void set_link_limit(std::uint32_t i, double limit) HAPTIC_REALTIME;
  double link_limit(std::uint32_t i) const HAPTIC_REALTIME { return links_of_[i].of.limit; }
  std::uint32_t links() const HAPTIC_REALTIME { return links_; }
  /// Stretch s of the i-th link at the solution.
  double link_stretch(std::uint32_t i) const HAPTIC_REALTIME { return links_of_[i].s; }
  /// Work of the force of the i-th link over the step, at its end's value [J].
  double link_work(std::uint32_t i) const HAPTIC_REALTIME {
    return links_of_[i].force * (links_of_[i].s - links_of_[i].of.stretch);
  }
  /// Force -k s of the i-th link at the solution.
  double link_force(std::uint32_t i) const HAPTIC_REALTIME { return links_of_[i].force; }

  /// Multiplies a part of a diagonal block of A by `of_matrix`, and its part of b by `of_load`. The
  /// elements that couple the part with the rest of the block are unchanged.
  void scale_block(std::uint32_t first, std::uint32_t count, double of_matrix,
                   double of_load) HAPTIC_REALTIME;
  /// Adds factor times a symmetric matrix to a part of a diagonal block of A, from unknown `first`
  /// on.
  void add_matrix(std::uint32_t first, double factor,
                  const Eigen::MatrixXd& values) HAPTIC_REALTIME;
  /// b += factor values, from unknown `first` on.
  void add_load(std::uint32_t first, double factor, std::span<const double> values) HAPTIC_REALTIME;

  enum class Result : std::uint8_t {
    kConverged,
    kStopped,    ///< after kMaxIterations: x has a lower potential than the start
    kNotFinite,  ///< a value is not finite, or the system is singular; x is zero
  };
  enum class Start : std::uint8_t {
    kNew,  ///< after clear(); the last solution is the initial guess
    /// Continues the last solution. Since then, limits may have changed, contacts may have been
    /// added or replaced, links shifted or replaced, blocks scaled or loads added; A and b must
    /// otherwise be unchanged.
    kLast
  };
  /// Accuracy of x, relative to the motion that the loads cause; of each island.
  enum class Accuracy : std::uint8_t {
    kFull,      ///< 1e-9
    kPredicts,  ///< 1e-4, for a solution that shows which contacts matter
    kGuess      ///< of one iteration
  };
  /// @param marked  per block: only islands with a block that is not 0 are solved, the others keep
  ///                their last solution; empty: all are solved
  /// @returns the worst of the islands that are solved
  [[nodiscard]] Result solve(Start start = Start::kNew, Accuracy accuracy = Accuracy::kFull,
                             std::span<const char> marked = {}) HAPTIC_REALTIME;
  /// The islands of all rows so far.
  const BlockIslands& islands() HAPTIC_REALTIME;

  const Eigen::VectorXd& step() const HAPTIC_REALTIME { return x_; }
  /// J x of a row that is in no contact. @param row  laid out as `support` says
  double along(const RowSupport& support, const double* row) const HAPTIC_REALTIME {
    return product(support, row, x_);
  }
  /// The same for another motion. @param x  [unknowns()]
  double along(const RowSupport& support, const double* row,
               const Eigen::VectorXd& x) const HAPTIC_REALTIME {
    return product(support, row, x);
  }
  /// Force of the i-th normal contact at the solution [N], >= 0; 0 if it has been added since.
  double normal_force(std::uint32_t i) const HAPTIC_REALTIME { return normals_of_[i].force; }
  /// Work of the force of the i-th normal contact over the step, at its end's value [J].
  double normal_work(std::uint32_t i) const HAPTIC_REALTIME {
    const NormalState& contact = normals_of_[i];
    return contact.force > 0.0
               ? contact.force * (contact.e - contact.of.distance - contact.of.shift)
               : 0.0;
  }
  /// Distance e of the i-th normal contact at the solution [m].
  double distance(std::uint32_t i) const HAPTIC_REALTIME { return normals_of_[i].e; }
  /// Stretch s of the i-th friction contact at the solution [m]; its spring slides where
  /// |k s| > limit.
  const double (&stretch(std::uint32_t i) const HAPTIC_REALTIME)[2] { return tangents_of_[i].s; }
  /// J x of a row, 0 or 1, of the i-th friction contact at the solution [m].
  double motion(std::uint32_t i, std::size_t row) const HAPTIC_REALTIME {
    return tangents_of_[i].s[row] - tangents_of_[i].of.stretch[row];
  }
  /// Number of normal contacts with a force > 0 at the solution.
  std::uint32_t pressing() const HAPTIC_REALTIME;
  /// sum J_i^T f_i at the solution [n]; computed by the call.
  const Eigen::VectorXd& contact_load() HAPTIC_REALTIME;
  /// Number of iterations of the last solution; the largest of its islands.
  std::uint32_t iterations() const HAPTIC_REALTIME { return most_iterations_; }
  /// Number of factorisations of H in the last solution, the largest of its islands: one per
  /// iteration, and one more if it was needed to detect convergence.
  std::uint32_t factorisations() const HAPTIC_REALTIME { return most_factorisations_; }

  /// How the solution follows a load on a block of six unknowns, while each contact stays in its
  /// state.
  struct Response {
    Eigen::Matrix<double, 6, 6> compliance;  ///< of the block to its own load
    /// Sum of the normal forces of the contacts of this block, over the load.
    Eigen::Matrix<double, 6, 1> pressure;
  };
  /// Costs one factorisation of the block's island. @pre a solution of kFull
  /// @returns false if H is not positive definite, or a value not finite
  [[nodiscard]] bool response(std::uint32_t block, Response& of) HAPTIC_REALTIME;

  static constexpr std::uint32_t kNoBlock = ~std::uint32_t{0};
  /// After kNotFinite: the first block with a value that is not finite; kNoBlock if none has one.
  std::uint32_t failed_block() const HAPTIC_REALTIME;

  static constexpr std::uint32_t kMaxIterations = 24;

 private:
  // Each contact with its contribution to the equations: force and slope, of friction force and
  // stiffness. The equations are linear; they stay exact until a contact changes its state.
  struct NormalState {
    Normal of;
    const RowSupport* support;
    double e, de;  // distance at x, its change along p
    double force, slope;
  };
  struct Spring {
    double force[2];
    double stiffness[3];  // xx, xy, yy
    bool linear;          // -k s
  };
  struct TangentState {
    Tangent of;
    const RowSupport* support;
    bool known;  // whether the equations contain it
    double s[2], ds[2];
    Spring spring;
  };
  struct Law {
    double force, slope;  // f and -df/de
  };
  struct LinkState {
    Link of;
    const RowSupport* support;
    bool known;
    double s, ds;
    double force, slope;
  };
  /// What an island keeps from one solution to the next.
  struct IslandState {
    Result last = Result::kNotFinite;
    bool is_accurate = false;   // the last solution, if it converged: to Accuracy::kFull
    bool started_warm = false;  // since clear(), from a solution that was not zero
    // Since the last solution: the equations have changed, or are to be summed anew.
    bool edited = false, stale = false;
    double scale = 0.0;
  };
  /// The island in work.
  struct Island {
    std::span<const std::uint32_t> blocks;
    std::span<const std::uint32_t> normals, tangents, links;
    std::uint32_t unknowns;
    std::uint32_t tiles;  // its first row of tiles in the order of elimination
    IslandState* state;
  };
  static Law law_of(const Normal& normal, double e) HAPTIC_REALTIME;
  static Law law_of(const Link& link, double s) HAPTIC_REALTIME;
  static Spring spring_of(const Tangent& tangent, const double (&s)[2]) HAPTIC_REALTIME;

  const double* normal_row(std::uint32_t i) const HAPTIC_REALTIME {
    return normal_rows_.data() + width_ * i;
  }
  const double* tangent_row(std::uint32_t i) const HAPTIC_REALTIME {
    return tangent_rows_.data() + 2 * width_ * i;
  }
  const double* link_row(std::uint32_t i) const HAPTIC_REALTIME {
    return link_rows_.data() + width_ * i;
  }
  double product(const RowSupport& support, const double* row,
                 const Eigen::VectorXd& x) const HAPTIC_REALTIME;
  std::span<double> set_normal(std::uint32_t i, const Normal& normal) HAPTIC_REALTIME;
  void couple_blocks() HAPTIC_REALTIME;
  void find_islands() HAPTIC_REALTIME;
  Island island(std::uint32_t i) HAPTIC_REALTIME;
  bool is_zero(const Island& island) const HAPTIC_REALTIME;
  void load_matrix(const Island& island) HAPTIC_REALTIME;
  double motion_energy(const Island& island) const HAPTIC_REALTIME;
  void load_equations(const Island& island) HAPTIC_REALTIME;
  void permute(const Island& island, const double* from) HAPTIC_REALTIME;
  static void add_product(const RowSupport& support, const double* row, double force,
                          Eigen::VectorXd& to) HAPTIC_REALTIME;
  bool begin(const Island& island, Start start) HAPTIC_REALTIME;
  bool correct(const Island& island) HAPTIC_REALTIME;
  bool correct(NormalState& contact, const double* row) HAPTIC_REALTIME;
  bool correct(TangentState& contact, const double* rows) HAPTIC_REALTIME;
  bool correct(LinkState& link, const double* row) HAPTIC_REALTIME;
  bool direction(const Island& island) HAPTIC_REALTIME;
  bool indefinite_direction(const Island& island) HAPTIC_REALTIME;
  void find_bound(std::uint32_t block) HAPTIC_REALTIME;
  void forget_bounds() HAPTIC_REALTIME;
  double decrement_bound(const Island& island) HAPTIC_REALTIME;
  bool load_direction(const Island& island) HAPTIC_REALTIME;
  void load_residual(const Island& island) HAPTIC_REALTIME;
  void refine(const Island& island) HAPTIC_REALTIME;
  void add_forces(const Island& island, Eigen::VectorXd& to) HAPTIC_REALTIME;
  void project(const Island& island) HAPTIC_REALTIME;
  double slope_along(const Island& island, double t) const HAPTIC_REALTIME;
  double search(const Island& island) const HAPTIC_REALTIME;
  Result solve_island(const Island& island, Start start, Accuracy accuracy) HAPTIC_REALTIME;
  void iterate(const Island& island, double converged, std::uint32_t most) HAPTIC_REALTIME;
  void advance(const Island& island, double t) HAPTIC_REALTIME;

  std::uint32_t capacity_, normals_ = 0, tangents_ = 0, links_ = 0;
  std::uint32_t iterations_ = 0, factorisations_ = 0;  // of the island in work
  std::uint32_t most_iterations_ = 0, most_factorisations_ = 0;
  bool is_finite_ = false;  // the last solution
  std::size_t width_;       // of all rows, padded with zeros
  BlockPattern pattern_;
  EliminationOrder order_;
  bool pattern_changed_ = true;  // since the last order
  BlockIslands islands_;
  std::vector<IslandState> states_;   // per block: that of the island of which it is the first
  std::vector<std::uint32_t> tiles_;  // per island: Island::tiles
  /// Indices of rows, sorted by island; where each island begins, and the end.
  struct SortedRows {
    std::vector<std::uint32_t> indices, begin;
    std::uint32_t count = 0;  // of the rows that are sorted
    std::span<const std::uint32_t> of(std::uint32_t island) const HAPTIC_REALTIME {
      return std::span(indices).subspan(begin[island], begin[island + 1] - begin[island]);
    }
  };
  SortedRows sorted_normals_, sorted_tangents_, sorted_links_;
  template <class State>
  void sort(const std::vector<State>& rows, std::uint32_t count, SortedRows& to) HAPTIC_REALTIME;
  std::vector<RowSupport> supports_;
  std::uint32_t support_count_ = 0;
  const RowSupport* support_ = nullptr;  // of the rows that are added
  bool coupled_ = false;                 // whether the pattern contains it
  Eigen::MatrixXd A_;
  Eigen::VectorXd b_, x_, p_, contact_load_, residual_;
  Eigen::VectorXd permuted_;           // in the order of elimination
  std::vector<double> bound_factors_;  // of the blocks of A, one after the other
  enum class Bound : std::uint8_t { kUnknown, kNone, kKnown };
  std::vector<std::size_t> bound_at_;  // per block: in bound_factors_
  std::vector<Bound> bounds_;          // per block
  NormalEquations equations_;          // Hessian and negative gradient of the potential at x
  SmallCholesky cholesky_;
  Eigen::MatrixXd H_;  // for a Hessian that is not positive definite
  Eigen::LDLT<Eigen::MatrixXd> ldlt_;
  bool convex_ = true;  // whether it was positive definite in the last iteration
  double decrement_ = 0.0;
  HugeVector<double> normal_rows_, tangent_rows_, link_rows_;  // rows J of width_
  std::vector<NormalState> normals_of_;                        // 64 bytes each
  std::vector<char> known_normals_;  // per normal contact: whether the equations contain it
  std::vector<TangentState> tangents_of_;
  std::vector<LinkState> links_of_;
};

}  // namespace haptic
