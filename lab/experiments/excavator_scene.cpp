#include "lab/experiments/excavator_scene.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"
#include "lab/experiments/made_scene.h"

namespace haptic {
namespace {

constexpr double kRamp = 1.0;  // in which a target moves [s]
constexpr int kStones = 9;

// Pivots [m]: x forward, y up.
const Vector3 kCab(-0.21, 0.03, 0.0), kBoom(-0.21, 0.06, 0.0), kStick(-0.10, 0.19, 0.0),
    kBucket(-0.028, 0.092, 0.0), kRocker(-0.0576, 0.1323, 0.0), kRod(-0.0244, 0.1546, 0.0),
    kEar(-0.0034, 0.1092, 0.0), kStickTail(-0.1178, 0.2142, 0.0);

Vector3 beside(const Vector3& p, double z) {
  return p + z * Vector3::UnitZ();
}

/// Scene file, recipes and meshes of the machine, written part by part.
class Machine {
 public:
  explicit Machine(MadeScene& files) : files_(files) {
    text_ = R"(rate_hz = 1000
gravity = [0.0, -9.81, 0.0]
[[body]]
name = "ground"
shape = "plane"
size = 0.4
role = "anchored"
orientation = [0.707106781, -0.707106781, 0.0, 0.0]
[[body]]
name = "bank"
shape = "box"
x = 0.02
y = 0.05
z = 0.16
role = "anchored"
position = [0.105, 0.025, 0.0]
[[body]]
name = "hand"
shape = "sphere"
radius = 0.01
role = "held"
position = [0.0, 1.0, 0.0]
[dynamics]
)";
    text_ += fmt::format("material_ramp_s = {}\n", kRamp);
  }

  /// A box whose x axis is from `from` to `to`.
  void bar(const std::string& name, const Vector3& from, const Vector3& to, double thickness) {
    const double length = (to - from).norm();
    const double angle = std::atan2(to.y() - from.y(), to.x() - from.x());
    model(name, "box", length, 32, 50,
          {{"size_x", length}, {"size_y", thickness}, {"size_z", thickness}});
    body(name, name, 0.5 * (from + to), {std::cos(0.5 * angle), std::sin(0.5 * angle)});
  }
  /// Barrel and piston, hinged to two bodies, with a prismatic joint between.
  void cylinder(const std::string& name, const std::string& first, const Vector3& from,
                const std::string& second, const Vector3& to, const std::string& servo) {
    const Vector3 middle = 0.5 * (from + to), axis = (to - from).normalized();
    bar(name + "_barrel", from, middle, 6e-3);
    bar(name + "_piston", middle, to, 4e-3);
    hinge(name + "_foot", first, name + "_barrel", from);
    joint(name, "prismatic", name + "_barrel", name + "_piston", middle, axis, servo);
    hinge(name + "_head", name + "_piston", second, to);
  }
  void hinge(const std::string& name, const std::string& first, const std::string& second,
             const Vector3& point, const Vector3& axis = Vector3::UnitZ(),
             const std::string& servo = {}) {
    joint(name, "hinge", first, second, point, axis, servo);
  }
  void model(const std::string& name, const std::string& shape, double length, int resolution,
             int points, const std::map<std::string, double>& values) {
    files_.add_file(
        name + ".toml",
        fmt::format("[source]\nmesh = \"{}.obj\"\nlength = {:.9g}\n[material]\n"
                    "density = 1000.0\n[field]\nresolution = {}\n[shell]\npoints = {}\n",
                    name, length, resolution, points));
    const auto mesh = files_.folder() / (name + ".obj");
    if (!std::filesystem::exists(mesh)) write_obj(mesh, make_shape(shape, values));
    parts_.push_back(name);
  }
  /// @param turned  cosine and sine of half the angle about z
  void body(const std::string& name, const std::string& model, const Vector3& at,
            const std::array<double, 2>& turned = {1.0, 0.0}) {
    text_ += fmt::format(
        "[[body]]\nname = \"{}\"\nmodel = \"{}.h5\"\nrole = \"free\"\n"
        "position = [{:.9g}, {:.9g}, {:.9g}]\norientation = [{:.12g}, 0.0, 0.0, {:.12g}]\n",
        name, model, at.x(), at.y(), at.z(), turned[0], turned[1]);
  }
  void contact(const std::string& points, const std::string& field) {
    text_ += fmt::format(
        "[[contact]]\npoints = \"{}\"\nfield = \"{}\"\nstiffness = 3000.0\ndamping = 20.0\n"
        "friction = {{ static = 0.6, dynamic = 0.5 }}\n",
        points, field);
  }

  Scene load() {
    files_.add_file("scene.toml", text_);
    return files_.load("scene.toml", parts_);
  }

 private:
  void joint(const std::string& name, const char* type, const std::string& first,
             const std::string& second, const Vector3& point, const Vector3& axis,
             const std::string& servo) {
    text_ += fmt::format(
        "[[joint]]\nname = \"{}\"\ntype = \"{}\"\nbodies = [\"{}\", \"{}\"]\n"
        "point = [{:.9g}, {:.9g}, {:.9g}]\naxis = [{:.12g}, {:.12g}, {:.12g}]\n{}",
        name, type, first, second, point.x(), point.y(), point.z(), axis.x(), axis.y(), axis.z(),
        servo.empty() ? "" : "servo = " + servo + "\n");
  }

  MadeScene& files_;
  std::string text_;
  std::vector<std::string> parts_;
};

}  // namespace

Scene make_excavator(const std::filesystem::path& folder) {
  MadeScene files(folder);
  Machine m(files);
  const std::string servo =
      "{ stiffness = 2e4, damping = 200.0, force_limit = 15.0, limits = [-0.05, 0.05] }";
  m.model("cab", "box", 0.05, 32, 50, {});
  m.body("cab", "cab", kCab);
  m.hinge("swing", "world", "cab", kCab, Vector3::UnitY(),
          "{ stiffness = 50.0, damping = 1.0, limits = [-2.0, 2.0] }");
  m.bar("boom", kBoom, kStick, 0.012);
  m.bar("stick", kStickTail, kBucket, 0.012);
  m.bar("rocker", kRocker, kRod, 5e-3);
  m.bar("rod_left", beside(kRod, -0.018), beside(kEar, -0.018), 5e-3);
  m.bar("rod_right", beside(kRod, 0.018), beside(kEar, 0.018), 5e-3);
  m.model("bucket", "bowl", 0.06, 128, 1500, {{"wall", 0.008}});
  m.body("bucket", "bucket", {0.0, 0.06, 0.0});
  m.hinge("lift", "cab", "boom", kBoom);
  m.hinge("reach", "boom", "stick", kStick);
  m.hinge("curl", "stick", "bucket", kBucket);
  m.hinge("lever", "stick", "rocker", kRocker);
  for (const double z : {-0.018, 0.018}) {
    const std::string rod = z < 0.0 ? "rod_left" : "rod_right";
    m.hinge(rod + "_top", "rocker", rod, beside(kRod, z));
    m.hinge(rod + "_ear", rod, "bucket", beside(kEar, z));
    m.cylinder(z < 0.0 ? "boom_left" : "boom_right", "cab", {-0.19, 0.04, z}, "boom",
               {-0.155, 0.125, z}, z < 0.0 ? servo : "");
  }
  m.cylinder("stick_push", "boom", {-0.175, 0.1614, 0.0}, "stick", kStickTail, servo);
  m.cylinder("bucket_push", "stick", {-0.10, 0.21, 0.0}, "rocker", kRod, servo);
  m.model("rock", "box", 0.011, 64, 100, {});
  m.model("pebble", "sphere", 0.012, 64, 100, {});
  for (int i = 0; i < kStones; ++i) {
    const std::string stone = fmt::format("stone{}", i);
    const bool cube = i % 2 == 0;
    // Three in the bucket, the others in front of it.
    const Vector3 at =
        i < 3 ? Vector3(0.0, 0.085, 0.014 * (i - 1))
              : Vector3(0.06 + 0.015 * (i % 2), cube ? 0.0055 : 0.006, 0.015 * (i / 2 - 2) - 0.005);
    m.body(stone, cube ? "rock" : "pebble", at);
    m.contact(stone, "ground");
    m.contact(stone, "bank");
    m.contact(stone, "bucket");
    for (int j = 0; j < i; ++j) m.contact(stone, fmt::format("stone{}", j));
  }
  m.contact("bucket", "ground");
  m.contact("bucket", "bank");
  return m.load();
}

}  // namespace haptic
