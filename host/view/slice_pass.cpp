#include "host/view/slice_pass.h"

#include <epoxy/gl.h>

#include "host/view/distance_colours.h"
#include "host/view/gl_objects.h"
#include "host/view/shaders.h"

namespace haptic {
namespace {

void set_place(GLuint program, const char* name, const Vector3& v) {
  const Eigen::Vector3f f = v.cast<float>();
  glUniform3fv(glGetUniformLocation(program, name), 1, f.data());
}

}  // namespace

SlicePass::SlicePass() : program_(link_program(shaders::kSliceVertex, shaders::kSliceFragment)) {
  glGenVertexArrays(1, &vertex_array_);  // without attributes, which core profiles want bound
  glGenTextures(1, &texture_);
}

SlicePass::~SlicePass() {
  glDeleteTextures(1, &texture_);
  glDeleteVertexArrays(1, &vertex_array_);
  glDeleteProgram(program_);
}

void SlicePass::draw(const FieldSlice& slice, const Camera& camera) {
  const Eigen::Matrix4f whole = (camera.projection() * camera.view()).cast<float>();
  glUseProgram(program_);
  glUniformMatrix4fv(glGetUniformLocation(program_, "view_projection"), 1, GL_FALSE, whole.data());
  set_place(program_, "corner", slice.corner);
  set_place(program_, "across", slice.across);
  set_place(program_, "upwards", slice.upwards);
  glUniform2f(glGetUniformLocation(program_, "samples"), static_cast<float>(slice.columns),
              static_cast<float>(slice.rows));
  const auto range = static_cast<float>(slice.range);
  glUniform1f(glGetUniformLocation(program_, "range"), range);
  glUniform1f(glGetUniformLocation(program_, "line"), kIsoLineFraction * range);
  glUniform3fv(glGetUniformLocation(program_, "colours"), 5, kDistanceColours[0].data());
  glBindTexture(GL_TEXTURE_2D, texture_);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_R32F, static_cast<GLsizei>(slice.columns),
               static_cast<GLsizei>(slice.rows), 0, GL_RED, GL_FLOAT, slice.distance.data());
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glBindVertexArray(vertex_array_);
  glEnable(GL_BLEND);
  glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  glDisable(GL_BLEND);
  glBindVertexArray(0);
}

std::array<float, 4> behind(const FieldSlice& slice, const Camera& camera) {
  Vector3 n = slice.across.cross(slice.upwards).normalized();
  if (n.dot(camera.eye() - slice.corner) > 0.0) n = -n;
  const Eigen::Vector3f f = n.cast<float>();
  return {f.x(), f.y(), f.z(), static_cast<float>(-n.dot(slice.corner))};
}

}  // namespace haptic
