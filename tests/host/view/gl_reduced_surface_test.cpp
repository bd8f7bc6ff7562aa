#include "host/view/gl_reduced_surface.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "host/artifact/model_writer.h"
#include "host/bake/solid_body.h"
#include "host/fem/solid_mesh.h"
#include "host/mesh/mesh_report.h"
#include "host/view/gl_context.h"
#include "host/view/scene_renderer.h"
#include "host/view/strain_colour.h"
#include "shared/error.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kLength = 0.2;

/// A bar of 10 x 3 x 3 cubes with seven fields: an exact rotation about its axis in two
/// coordinates, q = (sin t, 1 - cos t); two bends, a twist and a stretch; and a column so small and
/// one so large that half floats would lose them without scaling.
class GlReducedSurfaceTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() / ("haptic-shader-" + std::to_string(::getpid()) + "-" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
    model_ = folder_ / "bar.h5";
    const SolidMesh mesh = make_box_mesh(10, 3, 3, kLength / 10, Material{1e5, 0.4, 1000.0});
    const SolidBody body = solid_of_cubes({mesh.vertices().begin(), mesh.vertices().end()},
                                          {mesh.elements().begin(), mesh.elements().end()}, "bar");
    surface_ = boundary_of(body, "bar");
    const RowMajor U = fields(body.vertices);
    std::vector<double> rest;
    std::vector<std::uint32_t> triangles;
    for (const Vector3& v : surface_.vertices) rest.insert(rest.end(), v.data(), v.data() + 3);
    for (const auto& t : surface_.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
    basis_ = fields(rest).cast<float>();
    const auto rows = [](const auto& m) { return static_cast<std::uint64_t>(m.rows()); };
    ModelWriter writer(model_);
    writer.add("/surface/vertices", std::span<const double>(rest), {rest.size() / 3, 3});
    writer.add("/surface/triangles", std::span<const std::uint32_t>(triangles),
               {triangles.size() / 3, 3});
    writer.add("/surface/basis",
               std::span<const float>(basis_.data(), static_cast<std::size_t>(basis_.size())),
               {rows(basis_), kFields});
    writer.add("/mesh/vertices", mesh.vertices(), {mesh.vertices().size() / 3, 3});
    writer.add("/mesh/elements", mesh.elements(), {mesh.elements().size() / 8, 8});
    writer.add("/reduced/basis",
               std::span<const double>(U.data(), static_cast<std::size_t>(U.size())),
               {rows(U), kFields});
    writer.set_attribute("/mesh", "youngs_modulus_Pa", 1e5);
    writer.set_attribute("/mesh", "poisson_ratio", 0.4);
    writer.set_attribute("/mesh", "density_kg_m3", 1000.0);
    writer.commit();
  }
  void TearDown() override { fs::remove_all(folder_); }

  static constexpr std::uint64_t kFields = 8;

  static RowMajor fields(const std::vector<double>& X) {
    RowMajor U = RowMajor::Zero(static_cast<Eigen::Index>(X.size()), kFields);
    for (Eigen::Index v = 0; v < U.rows() / 3; ++v) {
      const double* p = &X[3 * static_cast<std::size_t>(v)];
      const double x = p[0], y = p[1] - 0.03, z = p[2] - 0.03;
      const auto set = [&](Eigen::Index j, double a, double b, double c) {
        U.col(j).segment<3>(3 * v) << a, b, c;
      };
      set(0, 0.0, -z, y);
      set(1, 0.0, -y, -z);
      set(2, -2.0 * x * y, x * x, 0.0);  // bend: the section stays normal to the axis
      set(3, -2.0 * x * z, 0.0, x * x);
      set(4, 0.0, -x * z, x * y);
      set(5, x, -0.4 * y, -0.4 * z);
      set(6, 1e-7 * x, 3e-8 * y, 1e-9 * z);
      set(7, 2e6 * x * x * x, 1e5 * z * z, 4e6 * y * x);
    }
    return U;
  }

  static std::vector<double> bent() { return {0.0, 0.0, 1.5, -0.8, 2.0, 0.06, 3e4, 2e-7}; }
  FrameBody frame_body(std::vector<double> q) const {
    return {"bar", model_, Pose{}, std::move(q)};
  }

  /// X + U q in double from the floats of the file.
  Vector3 expected(std::uint32_t vertex, const std::vector<double>& q) const {
    Vector3 p = surface_.vertices[vertex];
    for (std::size_t j = 0; j < q.size(); ++j) {
      p += basis_.col(static_cast<Eigen::Index>(j)).segment<3>(3 * vertex).cast<double>() * q[j];
    }
    return p;
  }

  fs::path folder_, model_;
  TriangleMesh surface_;
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> basis_;
};

TEST_F(GlReducedSurfaceTest, float_basis_in_the_shader_equals_double_on_the_cpu) {
  const GlContext context;
  const DisplayBasis basis = make_display_basis(ModelFile(model_));
  GlReducedSurface surface(basis, DisplayPrecision::kFloat);
  Pose pose;
  pose.position = Vector3(0.1, -0.2, 0.05);
  pose.orientation = Quaternion(Eigen::AngleAxisd(0.9, Vector3(1, 2, 3).normalized()));
  surface.deform(bent(), pose);
  const SurfacePoints positions = surface.positions(), normals = surface.normals();
  double worst = 0.0;
  for (std::size_t k = 0; k < basis.vertex_count(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    const Vector3 p = pose.orientation * expected(basis.surface_vertex[k], bent()) + pose.position;
    worst = std::max(worst, (positions.row(row).transpose().cast<double>() - p).norm());
    EXPECT_NEAR(normals.row(row).cast<double>().norm(), 1.0, 1e-6);
  }
  EXPECT_LE(worst, 1e-5 * kLength);
  RecordProperty("worst_error_in_lengths", std::to_string(worst / kLength));
}

TEST_F(GlReducedSurfaceTest, half_basis_stays_within_its_rounding) {
  const GlContext context;
  const DisplayBasis basis = make_display_basis(ModelFile(model_));
  GlReducedSurface surface(basis, DisplayPrecision::kHalf);
  surface.deform(bent(), Pose{});
  const SurfacePoints positions = surface.positions();
  double worst = 0.0;
  for (std::size_t k = 0; k < basis.vertex_count(); ++k) {
    const std::uint32_t v = basis.surface_vertex[k];
    const Vector3 p = expected(v, bent());
    for (int axis = 0; axis < 3; ++axis) {
      double magnitude = 0.0;
      for (std::size_t j = 0; j < kFields; ++j) {
        magnitude +=
            std::abs(static_cast<double>(basis_(3 * v + axis, static_cast<int>(j))) * bent()[j]);
      }
      const double error =
          std::abs(static_cast<double>(positions(static_cast<Eigen::Index>(k), axis)) - p[axis]);
      // Half rounding of every entry, and the float arithmetic of a position of this size.
      EXPECT_LE(error, std::ldexp(magnitude, -11) + 1e-6 * kLength);
      worst = std::max(worst, error);
    }
  }
  EXPECT_GT(worst, 1e-6 * kLength);  // shows that the 16-bit basis was drawn
}

TEST_F(GlReducedSurfaceTest, normals_follow_a_pure_rotation) {
  const GlContext context;
  const DisplayBasis basis = make_display_basis(ModelFile(model_));
  for (const auto precision : {DisplayPrecision::kFloat, DisplayPrecision::kHalf}) {
    GlReducedSurface surface(basis, precision);
    for (const double angle : {0.05, 0.4, 1.3, 3.0}) {
      surface.deform(std::vector<double>{std::sin(angle), 1.0 - std::cos(angle)}, Pose{});
      const Eigen::Matrix3d R = Eigen::AngleAxisd(angle, Vector3::UnitX()).toRotationMatrix();
      const SurfacePoints normals = surface.normals();
      for (std::size_t k = 0; k < basis.vertex_count(); ++k) {
        const Vector3 n =
            R * Eigen::Map<const Eigen::Vector3f>(&basis.normals[3 * k]).cast<double>();
        const Vector3 shown = normals.row(static_cast<Eigen::Index>(k)).transpose().cast<double>();
        EXPECT_LT(shown.cross(n).norm(), std::sin(0.5 * M_PI / 180.0));
        EXPECT_GT(shown.dot(n), 0.0);
      }
    }
  }
}

TEST_F(GlReducedSurfaceTest, fewer_coordinates_are_padded_and_more_are_refused) {
  const GlContext context;
  GlReducedSurface surface(make_display_basis(ModelFile(model_)), DisplayPrecision::kFloat);
  surface.deform(std::vector<double>{0.1, 0.0, 0.0}, Pose{});
  const SurfacePoints some = surface.positions();
  surface.deform(std::vector<double>{0.1, 0, 0, 0, 0, 0, 0, 0}, Pose{});
  EXPECT_EQ(some, surface.positions());
  EXPECT_THROW(surface.deform(std::vector<double>(9, 0.0), Pose{}), InputError);
}

TEST_F(GlReducedSurfaceTest, shader_and_cpu_render_the_same_image) {
  RenderSettings settings;
  settings.width = 400;
  settings.height = 300;
  const SceneFrame frame{{frame_body(bent())}, std::nullopt, Vector3::Zero()};
  const Image shader = SceneRenderer(settings).draw(frame);
  settings.deform_on_cpu = true;
  Image cpu = SceneRenderer(settings).draw(frame);
  settings.deform_on_cpu = false;
  settings.precision = DisplayPrecision::kHalf;
  const Image half = SceneRenderer(settings).draw(frame);
  // HAPTIC_PICTURES=folder keeps the images for inspection.
  if (const char* const pictures = std::getenv("HAPTIC_PICTURES")) {
    write_png(shader, fs::path(pictures) / "shader.png");
    write_png(cpu, fs::path(pictures) / "cpu.png");
    Image difference = cpu;  // eightfold
    for (std::size_t i = 0; i < cpu.rgb.size(); ++i) {
      difference.rgb[i] =
          static_cast<std::uint8_t>(std::min(255, 8 * std::abs(cpu.rgb[i] - shader.rgb[i])));
    }
    write_png(difference, fs::path(pictures) / "difference.png");
  }
  const auto differing = [&](const Image& other, int levels) {
    int count = 0;
    for (std::size_t i = 0; i < cpu.rgb.size(); i += 3) {
      int most = 0;
      for (std::size_t c = 0; c < 3; ++c)
        most = std::max(most, std::abs(cpu.rgb[i + c] - other.rgb[i + c]));
      count += most > levels;
    }
    return count;
  };
  // Same geometry: edges agree. F N is not the normal of the bent triangles where shear or stretch
  // rotates them (the end face here): a difference of some grey levels there, but no other face.
  constexpr int kPixels = 400 * 300;
  EXPECT_LT(differing(shader, 40), kPixels / 1000);
  EXPECT_LT(differing(half, 40), kPixels / 1000);
  EXPECT_LT(differing(shader, 24), kPixels / 100);
  EXPECT_LT(differing(shader, 8), kPixels / 15);

  // Without deformation the normals are the same, too.
  const SceneFrame rest{{frame_body({})}, std::nullopt, Vector3::Zero()};
  settings.precision = DisplayPrecision::kFloat;
  const Image shader_rest = SceneRenderer(settings).draw(rest);
  settings.deform_on_cpu = true;
  cpu = SceneRenderer(settings).draw(rest);
  EXPECT_LT(differing(shader_rest, 2), kPixels / 1000);
}

TEST_F(GlReducedSurfaceTest, strain_colours_are_drawn_by_the_shader_and_refused_on_the_cpu) {
  RenderSettings settings;
  settings.width = 400;
  settings.height = 300;
  settings.colour = SurfaceColour::kStrain;
  const SceneFrame frame{{frame_body(bent())}, std::nullopt, Vector3::Zero()};
  SceneRenderer renderer(settings);
  const Image picture = renderer.draw(frame);
  if (const char* const pictures = std::getenv("HAPTIC_PICTURES")) {
    write_png(picture, fs::path(pictures) / "strain.png");
  }
  EXPECT_GT(renderer.brightest_value(), 0.05);  // the stretch alone is 0.06
  int yellow = 0, purple = 0;
  for (std::size_t i = 0; i < picture.rgb.size(); i += 3) {
    yellow += picture.rgb[i] > 120 && picture.rgb[i + 2] < 90;
    purple += picture.rgb[i + 1] + 30 < picture.rgb[i + 2] && picture.rgb[i] < 120;
  }
  EXPECT_GT(yellow, 50);
  EXPECT_GT(purple, 50);
  settings.deform_on_cpu = true;
  EXPECT_THROW(SceneRenderer(settings).draw(frame), InputError);
}

}  // namespace
}  // namespace haptic
