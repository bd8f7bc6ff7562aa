// One display frame of a reduced surface: u = U q, normals, and vertex buffers ready to draw, on
// the CPU (GEMV, normals of the deformed triangles, upload of both) and in the vertex shader
// (upload of r numbers). With Mesa's llvmpipe the "graphics processor" is this CPU: the figure then
// compares code, not hardware.
#include <benchmark/benchmark.h>
#include <epoxy/gl.h>

#include <cmath>
#include <random>

#include "host/view/deformed_surface.h"
#include "host/view/gl_context.h"
#include "host/view/gl_objects.h"
#include "host/view/gl_reduced_surface.h"

namespace haptic {
namespace {

/// A wavy sheet of n x n vertices with random smooth fields.
DisplayBasis sheet(std::uint32_t n, std::uint32_t r) {
  DisplayBasis basis;
  basis.dimension = r;
  for (std::uint32_t i = 0; i < n * n; ++i) {
    const float x = static_cast<float>(i % n) / static_cast<float>(n);
    const float y = static_cast<float>(i / n) / static_cast<float>(n);
    basis.positions.insert(basis.positions.end(), {x, y, 0.1F * std::sin(9.0F * x)});
    basis.normals.insert(basis.normals.end(), {0.0F, 0.0F, 1.0F});
    basis.surface_vertex.push_back(i);
    for (std::uint32_t k = 0; k < 3 * r; ++k) {
      const float wave = std::sin(static_cast<float>(k + 1) * (x + 0.7F * y));
      basis.displacement.push_back(wave);
      basis.normal_correction.push_back(0.3F * wave);
    }
  }
  for (std::uint32_t row = 0; row + 1 < n; ++row) {
    for (std::uint32_t column = 0; column + 1 < n; ++column) {
      const std::uint32_t a = row * n + column;
      basis.indices.insert(basis.indices.end(), {a, a + 1, a + n, a + n, a + 1, a + n + 1});
    }
  }
  return basis;
}

std::vector<double> state_of(std::uint32_t r) {
  std::mt19937 random(r);
  std::uniform_real_distribution<double> value(-0.01, 0.01);
  std::vector<double> q(r);
  for (double& x : q) x = value(random);
  return q;
}

void cpu_frame(benchmark::State& state) {
  const GlContext context;
  const auto n = static_cast<std::uint32_t>(state.range(0));
  const auto r = static_cast<std::uint32_t>(state.range(1));
  const DisplayBasis basis = sheet(n, r);
  const std::vector<double> q = state_of(r);
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto rows = static_cast<Eigen::Index>(3 * basis.vertex_count());
  const Eigen::Map<const RowMajor> U(basis.displacement.data(), rows, r);
  const Eigen::VectorXf qf = Eigen::Map<const Eigen::VectorXd>(q.data(), r).cast<float>();
  for (auto _ : state) {
    Eigen::VectorXf u = U * qf;
    u += Eigen::Map<const Eigen::VectorXf>(basis.positions.data(), rows);
    const SurfacePoints x = Eigen::Map<const SurfacePoints>(u.data(), rows / 3, 3);
    DisplaySurface surface;
    surface.normals = corner_normals(x, basis.indices);
    surface.positions.resize(static_cast<Eigen::Index>(basis.indices.size()), 3);
    surface.indices.resize(basis.indices.size());
    for (std::size_t c = 0; c < basis.indices.size(); ++c) {
      surface.positions.row(static_cast<Eigen::Index>(c)) = x.row(basis.indices[c]);
      surface.indices[c] = static_cast<std::uint32_t>(c);
    }
    const GlSurface uploaded(surface);
    glFinish();
  }
}

void shader_frame(benchmark::State& state) {
  const GlContext context;
  const auto r = static_cast<std::uint32_t>(state.range(1));
  GlReducedSurface surface(
      sheet(static_cast<std::uint32_t>(state.range(0)), r),
      state.range(2) == 16 ? DisplayPrecision::kHalf : DisplayPrecision::kFloat);
  const std::vector<double> q = state_of(r);
  for (auto _ : state) {
    surface.deform(q, Pose{});
    glFinish();
  }
  state.SetLabel(reinterpret_cast<const char*>(glGetString(GL_RENDERER)));
}

// 174 x 174 vertices: 59,858 triangles.
BENCHMARK(cpu_frame)->Args({100, 15})->Args({100, 30})->Args({174, 30})->Args({200, 30})->Unit(
    benchmark::kMillisecond);
BENCHMARK(shader_frame)
    ->Args({100, 15, 32})
    ->Args({100, 30, 32})
    ->Args({100, 30, 16})
    ->Args({174, 30, 32})
    ->Args({174, 30, 16})
    ->Args({200, 30, 32})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace haptic

BENCHMARK_MAIN();
