#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Maximum number of proxies in one domain: an index has eight bits in a nearest-neighbour key.
inline constexpr std::uint32_t kMaxProxies = 256;

/// Proxies of a deforming field at rest: read-only views of the sections /field/proxies.
struct ProxyData {
  std::uint32_t dimension = 0;              ///< r
  std::span<const double> points;           ///< P x 3 [m]
  std::span<const double> displacement;     ///< P x 3 x r: U_i
  std::span<const double> gradients;        ///< P x 9 x r: du_a/dX_b, row 3a + b [1/m per q]
  std::span<const std::uint32_t> domain{};  ///< P, ascending, no domain left out; empty: one domain
};

/// A proxy in the current state, stored so that each row is one broadcast or one vector load.
struct alignas(64) Proxy {
  double position[4];  ///< p_i [m]; kFarAway if the proxy is not in use
  double rest[4];      ///< P_i [m]
  double inverse[12];  ///< F_i^-1: three columns of three, each followed by a zero
  double stretch;      ///< upper bound on the spectral norm of F_i^-1, at most 2 % above it
  double F[9];         ///< row-major
};

/// Proxies in the state q: p_i = P_i + U_i q, F_i = I + sum_j F_ij q_j and its inverse
/// (docs/methods/contact-and-coupling.md, "Deforming field"). A proxy whose F_i is inverted or
/// nearly singular is not in use: it is moved far away, where it does not influence queries.
class FieldProxies {
 public:
  /// Coordinates of a proxy that is not in use [m]; their squares are in the range of float.
  static constexpr double kFarAway = 1e15;

  /// Copies the data. @throws InputError if sizes do not match, a number is not finite or a domain
  /// has no proxy or more than kMaxProxies
  FieldProxies(const ProxyData& data, std::uint32_t domains, std::string_view source);

  std::uint32_t dimension() const HAPTIC_REALTIME { return dimension_; }
  std::span<const Proxy> of_domain(std::uint32_t d) const HAPTIC_REALTIME {
    return {proxies_.data() + begin_[d], begin_[d + 1] - begin_[d]};
  }
  std::span<const Proxy> all() const HAPTIC_REALTIME { return proxies_; }

  /// Sets the state q [r]. @returns whether the set of proxies in use has changed
  bool deform(std::span<const double> q) HAPTIC_REALTIME;

  /// out_j += weight U_ij . f for proxy i, r values; f in N.
  void add_force(std::uint32_t proxy, const Vector3& f, double weight,
                 std::span<double> out) const HAPTIC_REALTIME;

  /// sum_j |dq_j| max_i (|U_ij| + |F_ij| (reach + |P_i|)): bound on the displacement of the image
  /// of a point within `reach` of the origin under any proxy [m].
  double motion_bound(std::span<const double> dq) const HAPTIC_REALTIME;
  /// @param reach of the rest field [m]; call before motion_bound
  void set_reach(double reach);

 private:
  std::uint32_t dimension_, count_;
  std::vector<std::uint32_t> begin_;  // first proxy of each domain, and P
  std::vector<Proxy> proxies_;
  std::vector<double> modes_;   // r columns of 12 rows of P: U_x, U_y, U_z, F_xx, F_xy, ..., F_zz
  std::vector<double> state_;   // 12 rows of P
  std::vector<double> motion_;  // r, motion bound per unit of q_j
};

}  // namespace haptic
