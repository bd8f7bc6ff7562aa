#include "host/view/sphere_pass.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/view/body_colours.h"
#include "host/view/gl_objects.h"

namespace haptic {
namespace {

constexpr std::string_view kVertex = R"(#version 330 core
layout(location = 0) in vec4 sphere;
layout(location = 1) in vec3 colour;
uniform mat4 view_projection;
uniform vec3 eye, right;
uniform float pixel;  // at distance 1
flat out vec4 ball;
flat out vec3 ball_colour;
out vec3 p_world;
void main() {
  vec3 to = sphere.xyz - eye;
  float d = length(to);
  ball = vec4(sphere.xyz, max(sphere.w, 1.5 * pixel * d));
  ball_colour = colour;
  if (ball.w >= 0.999 * d) {  // around the eye
    gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
    return;
  }
  // The square through the centre that the cone from the eye about the sphere fills.
  vec3 w = to / d;
  vec3 u = normalize(right - dot(right, w) * w);
  vec3 v = cross(w, u);
  float half_side = ball.w * d / sqrt(d * d - ball.w * ball.w) + pixel * d;
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  p_world = sphere.xyz + half_side * (corner.x * u + corner.y * v);
  gl_Position = view_projection * vec4(p_world, 1.0);
})";

constexpr std::string_view kFragment = R"(#version 330 core
flat in vec4 ball;
flat in vec3 ball_colour;
in vec3 p_world;
uniform mat4 view_projection;
uniform vec3 eye;
uniform float pixel;
out vec4 color;
void main() {
  vec3 ray = normalize(p_world - eye);
  vec3 to = ball.xyz - eye;
  float along = dot(ray, to);
  float miss = length(to - along * ray);  // from the centre to the ray
  float width = pixel * along;
  float cover = clamp((ball.w - miss) / width + 0.5, 0.0, 1.0);
  if (cover <= 0.0) discard;
  float half_chord = sqrt(max(ball.w * ball.w - miss * miss, 0.0));
  vec3 p = eye + (along - half_chord) * ray;
  vec4 clip = view_projection * vec4(p, 1.0);
  gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
  float outline = 1.0 - smoothstep(0.5, 2.0, (ball.w - miss) / width);
  float facing = half_chord / ball.w;
  color = vec4(ball_colour * (0.55 + 0.45 * facing), cover * mix(0.18, 0.75, outline));
})";

}  // namespace

SpherePass::SpherePass() : program_(link_program(kVertex, kFragment)) {
  glGenVertexArrays(1, &vertex_array_);
  glBindVertexArray(vertex_array_);
  glGenBuffers(1, &buffer_);
  glBindBuffer(GL_ARRAY_BUFFER, buffer_);
  constexpr GLsizei kStride = sizeof(std::array<float, 7>);
  for (const auto& [attribute, size, offset] :
       {std::array<std::uintptr_t, 3>{0, 4, 0}, std::array<std::uintptr_t, 3>{1, 3, 16}}) {
    const auto index = static_cast<GLuint>(attribute);
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, static_cast<GLint>(size), GL_FLOAT, GL_FALSE, kStride,
                          reinterpret_cast<const void*>(offset));
    glVertexAttribDivisor(index, 1);
  }
  glBindVertexArray(0);
}

SpherePass::~SpherePass() {
  glDeleteBuffers(1, &buffer_);
  glDeleteVertexArrays(1, &vertex_array_);
  glDeleteProgram(program_);
}

void SpherePass::draw(const std::vector<FrameSphere>& spheres, const Camera& camera, int height) {
  if (spheres.empty()) return;
  const Vector3 eye = camera.eye();
  std::vector<std::pair<double, std::size_t>> order;
  order.reserve(spheres.size());
  for (std::size_t i = 0; i < spheres.size(); ++i) {
    const double distance = (spheres[i].centre - eye).norm();
    if (std::isfinite(distance)) order.emplace_back(-distance, i);
  }
  std::ranges::sort(order);
  instances_.clear();
  for (const auto& [distance, i] : order) {
    const Eigen::Vector3f c = spheres[i].centre.cast<float>();
    const std::array<float, 3>& colour = body_colour(spheres[i].body);
    instances_.push_back({c.x(), c.y(), c.z(), static_cast<float>(spheres[i].radius), colour[0],
                          colour[1], colour[2]});
  }
  const Eigen::Matrix4d view = camera.view();
  const Eigen::Matrix4f whole = (camera.projection() * view).cast<float>();
  const Eigen::Vector3f eye_f = eye.cast<float>(), right = view.block<1, 3>(0, 0).cast<float>();
  const double pixel = 2.0 * std::tan(0.5 * camera.vertical_view_angle) / std::max(height, 1);

  glUseProgram(program_);
  glUniformMatrix4fv(glGetUniformLocation(program_, "view_projection"), 1, GL_FALSE, whole.data());
  glUniform3fv(glGetUniformLocation(program_, "eye"), 1, eye_f.data());
  glUniform3fv(glGetUniformLocation(program_, "right"), 1, right.data());
  glUniform1f(glGetUniformLocation(program_, "pixel"), static_cast<float>(pixel));
  glBindVertexArray(vertex_array_);
  glBindBuffer(GL_ARRAY_BUFFER, buffer_);
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(instances_.size() * sizeof instances_[0]),
               instances_.data(), GL_STREAM_DRAW);
  glEnable(GL_BLEND);
  glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
  glDepthMask(GL_FALSE);
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(instances_.size()));
  glDepthMask(GL_TRUE);
  glDisable(GL_BLEND);
  glBindVertexArray(0);
}

}  // namespace haptic
