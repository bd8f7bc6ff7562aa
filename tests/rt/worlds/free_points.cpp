#include "tests/rt/worlds/free_points.h"

#include <random>

#include "host/artifact/model_writer.h"

namespace haptic {
namespace {

void push_symmetric(std::vector<double>& to, const Matrix3& m) {
  to.insert(to.end(), {m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)});
}

}  // namespace

FreePoints::FreePoints(int points, int modes, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  places = Eigen::Matrix3Xd::NullaryExpr(3, points, [&] { return 0.02 * uniform(random); });
  masses = Eigen::VectorXd::NullaryExpr(points, [&] { return 0.03 + 0.02 * uniform(random); });
  places.colwise() -= Vector3(places * masses / masses.sum());
  set_basis(Eigen::MatrixXd::NullaryExpr(3 * points, modes, [&] { return uniform(random); }));
  for (int j = 0; j < modes; ++j) eigenvalues.push_back(1e4 * (1.0 + 0.3 * j));
}

FreePoints FreePoints::stretching(int points, double eigenvalue, std::uint32_t seed) {
  FreePoints body(points, 6, seed);
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(3 * points, 6);
  for (int i = 0; i < points; ++i) {
    int column = 0;
    for (int a = 0; a < 3; ++a) {
      for (int b = a; b < 3; ++b, ++column) {
        columns(3 * i + a, column) += body.places(b, i);
        columns(3 * i + b, column) += body.places(a, i);
      }
    }
  }
  body.set_basis(columns);
  body.eigenvalues.assign(6, eigenvalue);
  return body;
}

// By Gram-Schmidt in the mass: six rigid motions, then the columns.
void FreePoints::set_basis(const Eigen::MatrixXd& columns) {
  const int points = static_cast<int>(masses.size());
  Eigen::MatrixXd all(3 * points, 6 + columns.cols());
  for (int i = 0; i < points; ++i) {
    all.block<3, 3>(3 * i, 0).setIdentity();
    for (int k = 0; k < 3; ++k) {
      all.block<3, 1>(3 * i, 3 + k) = Vector3::Unit(k).cross(places.col(i));
    }
  }
  all.rightCols(columns.cols()) = columns;
  Eigen::VectorXd weights(3 * points);
  for (int i = 0; i < points; ++i) weights.segment<3>(3 * i).setConstant(masses[i]);
  for (int pass = 0; pass < 2; ++pass) {
    for (Eigen::Index c = 0; c < all.cols(); ++c) {
      for (Eigen::Index b = 0; b < c; ++b) {
        all.col(c) -= all.col(b).dot(weights.cwiseProduct(all.col(c))) * all.col(b);
      }
      all.col(c) /= std::sqrt(all.col(c).dot(weights.cwiseProduct(all.col(c))));
    }
  }
  basis = all.rightCols(columns.cols());
}

Matrix3 FreePoints::inertia(const Eigen::VectorXd& q) const {
  Matrix3 sum = Matrix3::Zero();
  for (int i = 0; i < masses.size(); ++i) {
    const Vector3 p = position(i, q);
    sum += masses[i] * (p.squaredNorm() * Matrix3::Identity() - p * p.transpose());
  }
  return sum;
}

Vector3 FreePoints::spin(const Eigen::VectorXd& q, const Eigen::VectorXd& qdot) const {
  Vector3 sum = Vector3::Zero();
  for (int i = 0; i < masses.size(); ++i) {
    sum += masses[i] * (position(i, q) - places.col(i)).cross(velocity(i, qdot));
  }
  return sum;
}

Eigen::MatrixXd FreePoints::jacobian(int i, const Eigen::VectorXd& q) const {
  Eigen::MatrixXd B(3, 3 + q.size());
  for (int k = 0; k < 3; ++k) B.col(k) = Vector3::Unit(k).cross(position(i, q));
  B.rightCols(q.size()) = basis.middleRows(3 * i, 3);
  return B;
}

Vector3 FreePoints::convective(int i, const Vector3& w, const Eigen::VectorXd& q,
                               const Eigen::VectorXd& qdot) const {
  return 2.0 * w.cross(velocity(i, qdot)) + w.cross(w.cross(position(i, q)));
}

FreePoints::Equations FreePoints::equations(const Vector3& w, const Eigen::VectorXd& q,
                                            const Eigen::VectorXd& qdot) const {
  const Eigen::Index r = q.size();
  Equations of{Eigen::MatrixXd::Zero(3 + r, 3 + r), Eigen::VectorXd::Zero(3 + r)};
  for (int i = 0; i < masses.size(); ++i) {
    const Eigen::MatrixXd B = jacobian(i, q);
    of.A += masses[i] * B.transpose() * B;
    of.b -= masses[i] * B.transpose() * convective(i, w, q, qdot);
  }
  for (Eigen::Index j = 0; j < r; ++j) {
    of.b[3 + j] -= eigenvalues[static_cast<std::size_t>(j)] * q[j];
  }
  return of;
}

void FreePoints::write(const std::filesystem::path& path) const {
  const auto n = static_cast<std::uint64_t>(masses.size()),
             r = static_cast<std::uint64_t>(basis.cols());
  std::vector<double> vertices, flat_basis, linear, quadratic, spins;
  std::vector<float> points, normals, displacement;
  for (int i = 0; i < masses.size(); ++i) {
    const Vector3 p = places.col(i) + centre, inwards = -places.col(i).normalized();
    for (int k = 0; k < 3; ++k) {
      vertices.push_back(p[k]);
      points.push_back(static_cast<float>(p[k]));
      normals.push_back(static_cast<float>(inwards[k]));
      for (Eigen::Index j = 0; j < basis.cols(); ++j) {
        flat_basis.push_back(basis(3 * i + k, j));
        displacement.push_back(static_cast<float>(basis(3 * i + k, j)));
      }
    }
  }
  for (Eigen::Index a = 0; a < basis.cols(); ++a) {
    Matrix3 first = Matrix3::Zero();
    for (int i = 0; i < masses.size(); ++i) {
      first += masses[i] * places.col(i) * basis.col(a).segment<3>(3 * i).transpose();
    }
    push_symmetric(linear, first + first.transpose());
    for (Eigen::Index b = a; b < basis.cols(); ++b) {
      Matrix3 second = Matrix3::Zero();
      Vector3 turn = Vector3::Zero();
      for (int i = 0; i < masses.size(); ++i) {
        const Vector3 u = basis.col(a).segment<3>(3 * i), v = basis.col(b).segment<3>(3 * i);
        second += 0.5 * masses[i] * (u * v.transpose() + v * u.transpose());
        turn += masses[i] * u.cross(v);
      }
      push_symmetric(quadratic, second);
      spins.insert(spins.end(), {turn.x(), turn.y(), turn.z()});
    }
  }
  std::vector<double> springs;
  for (std::size_t a = 0; a < r; ++a) {
    for (std::size_t b = a; b < r; ++b) springs.push_back(a == b ? eigenvalues[a] : 0.0);
  }
  ModelWriter writer(path);
  writer.add("/mesh/vertices", vertices, {n, 3});
  writer.add("/reduced/basis", flat_basis, {3 * n, r});
  writer.add("/reduced/quadratic", springs, {springs.size()});
  const std::uint64_t cubes = r * (r + 1) * (r + 2) / 6, fourths = cubes * (r + 3) / 4;
  writer.add("/reduced/cubic", std::vector<double>(cubes, 0.0), {cubes});
  writer.add("/reduced/quartic", std::vector<double>(fourths, 0.0), {fourths});
  writer.add("/reduced/damping", std::vector<double>{damping, 0.0}, {2});
  writer.add("/reduced/inertia/linear", linear, {r, 6});
  writer.add("/reduced/inertia/quadratic", quadratic, {quadratic.size() / 6, 6});
  writer.add("/reduced/inertia/spin", spins, {spins.size() / 3, 3});
  const auto count = static_cast<std::uint32_t>(n);
  std::vector<std::uint32_t> index(n);
  for (std::uint32_t i = 0; i < count; ++i) index[i] = i;
  std::vector<std::uint32_t> triangles(n / 3 * 3);
  for (std::uint32_t i = 0; i < triangles.size(); ++i) triangles[i] = i;
  writer.add("/surface/vertices", vertices, {n, 3});
  writer.add("/surface/triangles", triangles, {n / 3, 3});
  writer.add("/surface/basis", displacement, {3 * n, r});
  writer.add("/shell/points", points, {n, 3});
  writer.add("/shell/normals", normals, {n, 3});
  writer.add("/shell/displacement", displacement, {n, 3, r});
  writer.add("/shell/normal_correction", std::vector<float>(3 * n * r, 0.0F), {n, 3, r});
  writer.add("/shell/tree/level_begin", std::vector<std::uint32_t>{0, count}, {2});
  writer.add("/shell/tree/point", index, {n});
  writer.add("/shell/tree/child_begin", std::vector<std::uint32_t>(n, count), {n});
  writer.add("/shell/tree/child_count", std::vector<std::uint32_t>(n, 0), {n});
  writer.add("/shell/tree/radius", std::vector<float>(n, 0.0F), {n});
  writer.add("/shell/tree/modal_radius", std::vector<float>(n * r, 0.0F), {n, r});
  const double mass = masses.sum();
  const Matrix3 rest = inertia(Eigen::VectorXd::Zero(basis.cols()));
  writer.add("/rigid/mass", std::vector<double>{mass}, {1});
  writer.add("/rigid/centre", std::vector<double>{centre.x(), centre.y(), centre.z()}, {3});
  writer.add("/rigid/inertia", std::vector<double>(rest.data(), rest.data() + 9), {3, 3});
  writer.commit();
}

}  // namespace haptic
