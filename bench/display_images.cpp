// Whole images of `haptic view` off screen: a torus of 59,858 triangles with u = U q in the vertex
// shader, on the processor, and rigid, which is the floor. All rows are drawn in turn, so that the
// load of the machine is the same for all of them. Usage: display_images [ROUNDS] [PNG_FOLDER]
#include <epoxy/gl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/artifact/model_writer.h"
#include "host/fem/solid_mesh.h"
#include "host/view/image.h"
#include "host/view/scene_renderer.h"

namespace haptic {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::uint32_t kAround = 173;  // quadrilaterals in both directions
constexpr double kEdge = 0.01;          // m, of a cube of the volume mesh
constexpr std::array<int, 3> kCubes = {20, 6, 20};

/// Smooth waves of every direction, about 1 m high for q = 1. @param X 3n positions [m]
RowMajor waves(std::span<const double> X, std::uint32_t r) {
  RowMajor U(static_cast<Eigen::Index>(X.size()), r);
  for (Eigen::Index row = 0; row < U.rows(); ++row) {
    const auto at = static_cast<std::size_t>(row - row % 3);
    for (Eigen::Index j = 0; j < U.cols(); ++j) {
      const double k = 3.0 + 0.4 * static_cast<double>(j);
      U(row, j) = std::sin(k * X[at] + 1.3 * k * X[at + 1] + 0.7 * k * X[at + 2] +
                           static_cast<double>(row % 3) + static_cast<double>(j));
    }
  }
  return U;
}

std::span<const double> numbers(const RowMajor& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

/// A torus in a box of cubes. @param r columns of its basis; 0: a rigid body
void write_model(const std::filesystem::path& path, std::uint32_t r) {
  std::vector<double> vertices;
  std::vector<std::uint32_t> triangles;
  for (std::uint32_t i = 0; i < kAround; ++i) {
    const double a = 2.0 * std::numbers::pi * i / kAround;
    for (std::uint32_t j = 0; j < kAround; ++j) {
      const double b = 2.0 * std::numbers::pi * j / kAround;
      const double radius = 0.068 + 0.028 * std::cos(b);
      vertices.insert(vertices.end(), {0.1 + radius * std::cos(a), 0.03 + 0.028 * std::sin(b),
                                       0.1 + radius * std::sin(a)});
      const std::uint32_t i1 = (i + 1) % kAround, j1 = (j + 1) % kAround;
      const std::array<std::uint32_t, 4> c = {i * kAround + j, i * kAround + j1, i1 * kAround + j1,
                                              i1 * kAround + j};
      triangles.insert(triangles.end(), {c[0], c[1], c[2], c[0], c[2], c[3]});
    }
  }
  ModelWriter writer(path);
  writer.add("/surface/vertices", std::span<const double>(vertices), {vertices.size() / 3, 3});
  writer.add("/surface/triangles", std::span<const std::uint32_t>(triangles),
             {triangles.size() / 3, 3});
  if (r > 0) {
    const SolidMesh mesh =
        make_box_mesh(kCubes[0], kCubes[1], kCubes[2], kEdge, Material{1e5, 0.4, 1000.0});
    const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> surface =
        waves(vertices, r).cast<float>();
    writer.add("/surface/basis",
               std::span<const float>(surface.data(), static_cast<std::size_t>(surface.size())),
               {vertices.size(), r});
    writer.add("/mesh/vertices", mesh.vertices(), {mesh.vertices().size() / 3, 3});
    writer.add("/mesh/elements", mesh.elements(), {mesh.elements().size() / 8, 8});
    writer.add("/reduced/basis", numbers(waves(mesh.vertices(), r)), {mesh.vertices().size(), r});
  }
  writer.commit();
}

double processor_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

double elapsed_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

/// One way to draw one model at one size.
class Row {
 public:
  Row(std::string name, const RenderSettings& settings, const std::filesystem::path& model,
      std::uint32_t r)
      : name_(std::move(name)), r_(r), renderer_(settings) {
    frame_.bodies.push_back({"torus", model, Pose{}, std::vector<double>(r, 0.0)});
    camera_ = renderer_.framing(frame_);
    draw(0);  // reads the model
    draw_.clear(), read_.clear(), processor_.clear();
  }

  void draw(int round) {
    for (std::uint32_t j = 0; j < r_; ++j) {
      frame_.bodies[0].coordinates[j] = 0.006 / std::sqrt(r_) * std::sin(0.3 * round + j);
    }
    const double processor = processor_ms(), begin = elapsed_ms();
    renderer_.render(frame_, camera_);
    glFinish();
    const double drawn = elapsed_ms();
    processor_.push_back(processor_ms() - processor);
    image_ = renderer_.target().read();
    read_.push_back(elapsed_ms() - drawn);
    draw_.push_back(drawn - begin);
  }

  void print() const {
    const double median = quantile(draw_, 0.5);
    fmt::print("| {} x {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} |\n", image_.width,
               image_.height, name_, median, quantile(draw_, 0.99), 1e3 / median,
               quantile(processor_, 0.5), quantile(read_, 0.5));
  }

  const Image& image() const { return image_; }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::uint32_t r_;
  SceneRenderer renderer_;
  SceneFrame frame_;
  Camera camera_;
  Image image_;
  std::vector<double> draw_, read_, processor_;  // ms
};

void run(int rounds, const std::filesystem::path& pictures) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("display_images{}", ::getpid());
  std::filesystem::create_directories(folder);
  std::vector<std::unique_ptr<Row>> rows;
  for (const std::uint32_t r : {0u, 20u, 64u}) write_model(folder / fmt::format("{}.h5", r), r);
  for (const auto& [width, height] : {std::pair{640, 480}, std::pair{1280, 960}}) {
    RenderSettings shader;
    shader.width = width;
    shader.height = height;
    shader.steady = true;
    RenderSettings half = shader, processor = shader;
    half.precision = DisplayPrecision::kHalf;
    processor.deform_on_cpu = true;
    const auto add = [&](const char* name, const RenderSettings& settings, std::uint32_t r) {
      rows.push_back(std::make_unique<Row>(r > 0 ? fmt::format("r = {}, {}", r, name) : name,
                                           settings, folder / fmt::format("{}.h5", r), r));
    };
    add("rigid", shader, 0);
    for (const std::uint32_t r : {20u, 64u}) {
      add("vertex shader", shader, r);
      add("vertex shader, 16 bits", half, r);
      add("processor", processor, r);
    }
  }
  for (int round = 1; round <= rounds; ++round) {
    for (const auto& row : rows) row->draw(round);
  }
  fmt::print("{}, {} rounds; ms\n", reinterpret_cast<const char*>(glGetString(GL_RENDERER)),
             rounds);
  fmt::print("| image | surface | drawn | p99 | images/s | processor | read |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const auto& row : rows) row->print();
  std::filesystem::remove_all(folder);
  if (pictures.empty()) return;
  std::filesystem::create_directories(pictures);
  for (const auto& row : rows) {
    write_png(row->image(), pictures / fmt::format("{} {}.png", row->image().width, row->name()));
  }
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 100;
  if (rounds < 1) {
    fmt::print(stderr, "display_images: found {} rounds, expected 1 or more\n", argv[1]);
    return 2;
  }
  try {
    haptic::run(rounds, argc > 2 ? argv[2] : "");
  } catch (const std::exception& error) {
    fmt::print(stderr, "display_images: {}\n", error.what());
    return 1;
  }
}
