#include "host/view/sphere_pass.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/view/body_colours.h"
#include "host/view/gl_objects.h"
#include "host/view/shaders.h"

namespace haptic {

SpherePass::SpherePass()
    : program_(link_program(shaders::kSphereVertex, shaders::kSphereFragment)) {
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
