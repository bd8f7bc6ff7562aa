#include "host/view/gl_reduced_surface.h"

#include <epoxy/gl.h>
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>

#include "host/view/gl_objects.h"
#include "host/view/shaders.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::uint32_t kMaxDimension = 64;  // vec4 q[16] of the shader

std::size_t groups_of(std::uint32_t dimension) {
  return (std::size_t{dimension} + 3) / 4;
}

/// Power of two that brings the largest entry of a column to 2^14..2^15, so that 29 binary orders
/// below it are still normal halves.
float column_scale(float largest) {
  if (!(largest > 0.0F)) return 1.0F;
  return std::ldexp(1.0F, 14 - std::ilogb(largest));
}

std::vector<float> column_scales(const std::vector<float>& blocks, std::uint32_t r, bool half) {
  std::vector<float> scales(r, 1.0F);
  if (!half) return scales;
  std::vector<float> largest(r, 0.0F);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    largest[i % r] = std::max(largest[i % r], std::abs(blocks[i]));
  }
  for (std::uint32_t j = 0; j < r; ++j) scales[j] = column_scale(largest[j]);
  return scales;
}

/// Six rows of groups * 4 numbers a vertex: U and DN by axis, columns scaled, padded with zeros.
std::vector<float> packed(const DisplayBasis& basis, const std::vector<float>& displacement_scale,
                          const std::vector<float>& normal_scale) {
  const std::size_t r = basis.dimension, width = 4 * groups_of(basis.dimension);
  std::vector<float> texels(6 * width * basis.vertex_count(), 0.0F);
  for (std::size_t v = 0; v < basis.vertex_count(); ++v) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t j = 0; j < r; ++j) {
        const std::size_t from = (3 * v + axis) * r + j;
        texels[(6 * v + axis) * width + j] = basis.displacement[from] * displacement_scale[j];
        texels[(6 * v + 3 + axis) * width + j] = basis.normal_correction[from] * normal_scale[j];
      }
    }
  }
  return texels;
}

void fill(GLenum target, GLuint buffer, const void* data, std::size_t bytes, GLenum usage) {
  glBindBuffer(target, buffer);
  glBufferData(target, static_cast<GLsizeiptr>(bytes), data, usage);
}

void attach(GLuint buffer, GLuint attribute) {
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glEnableVertexAttribArray(attribute);
  glVertexAttribPointer(attribute, 3, GL_FLOAT, GL_FALSE, 0, nullptr);
}

SurfacePoints read_back(GLuint buffer, int vertices) {
  SurfacePoints points(vertices, 3);
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glGetBufferSubData(GL_ARRAY_BUFFER, 0, static_cast<GLsizeiptr>(sizeof(float)) * points.size(),
                     points.data());
  return points;
}

}  // namespace

bool GlReducedSurface::fits(const DisplayBasis& basis) {
  GLint most = 0;
  glGetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &most);
  return basis.dimension <= kMaxDimension &&
         6 * groups_of(basis.dimension) * basis.vertex_count() <= static_cast<std::size_t>(most);
}

GlReducedSurface::GlReducedSurface(const DisplayBasis& basis, DisplayPrecision precision)
    : dimension_(basis.dimension),
      vertex_count_(static_cast<int>(basis.vertex_count())),
      index_count_(static_cast<int>(basis.indices.size())) {
  HAPTIC_DEMAND(fits(basis));
  constexpr std::array<const char*, 2> kOutputs = {"p_world", "n_world"};
  program_ = link_feedback_program(shaders::kDeformVertex, kOutputs);
  glGenBuffers(kBufferCount, buffers_);
  const std::size_t bytes = basis.positions.size() * sizeof(float);
  fill(GL_ARRAY_BUFFER, buffers_[kRest], basis.positions.data(), bytes, GL_STATIC_DRAW);
  fill(GL_ARRAY_BUFFER, buffers_[kRestNormals], basis.normals.data(), bytes, GL_STATIC_DRAW);
  fill(GL_ARRAY_BUFFER, buffers_[kPositions], nullptr, bytes, GL_DYNAMIC_COPY);
  fill(GL_ARRAY_BUFFER, buffers_[kNormals], nullptr, bytes, GL_DYNAMIC_COPY);

  const bool half = precision == DisplayPrecision::kHalf;
  const std::uint32_t r = dimension_;
  const std::vector<float> up = column_scales(basis.displacement, r, half);
  const std::vector<float> normal_up = column_scales(basis.normal_correction, r, half);
  for (std::uint32_t j = 0; j < r; ++j) {
    displacement_scale_.push_back(1.0F / up[j]);
    normal_scale_.push_back(1.0F / normal_up[j]);
  }
  std::vector<float> texels = packed(basis, up, normal_up);
  if (texels.empty()) texels.assign(4, 0.0F);  // a rigid body reads none
  if (half) {
    std::vector<Eigen::half> halves(texels.size());
    for (std::size_t i = 0; i < texels.size(); ++i) halves[i] = static_cast<Eigen::half>(texels[i]);
    fill(GL_TEXTURE_BUFFER, buffers_[kBlocks], halves.data(), 2 * halves.size(), GL_STATIC_DRAW);
  } else {
    fill(GL_TEXTURE_BUFFER, buffers_[kBlocks], texels.data(), 4 * texels.size(), GL_STATIC_DRAW);
  }
  glGenTextures(1, &texture_);
  glBindTexture(GL_TEXTURE_BUFFER, texture_);
  glTexBuffer(GL_TEXTURE_BUFFER, half ? GL_RGBA16F : GL_RGBA32F, buffers_[kBlocks]);

  GLint bound = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
  glGenFramebuffers(1, &framebuffer_);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer_);
  glGenRenderbuffers(1, &renderbuffer_);
  glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer_);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 1, 1);
  glFramebufferRenderbuffer(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                            renderbuffer_);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(bound));

  glGenVertexArrays(1, &rest_array_);
  glBindVertexArray(rest_array_);
  attach(buffers_[kRest], 0);
  attach(buffers_[kRestNormals], 1);
  glGenVertexArrays(1, &drawn_array_);
  glBindVertexArray(drawn_array_);
  attach(buffers_[kPositions], 0);
  attach(buffers_[kNormals], 1);
  fill(GL_ELEMENT_ARRAY_BUFFER, buffers_[kIndices], basis.indices.data(),
       basis.indices.size() * sizeof(std::uint32_t), GL_STATIC_DRAW);
  glBindVertexArray(0);
}

GlReducedSurface::~GlReducedSurface() {
  glDeleteVertexArrays(1, &rest_array_);
  glDeleteVertexArrays(1, &drawn_array_);
  glDeleteTextures(1, &texture_);
  glDeleteBuffers(kBufferCount, buffers_);
  glDeleteFramebuffers(1, &framebuffer_);
  glDeleteRenderbuffers(1, &renderbuffer_);
  glDeleteProgram(program_);
}

void GlReducedSurface::deform(std::span<const double> q, const Pose& pose) {
  if (q.size() > dimension_) {
    throw InputError("view", "coordinates", fmt::format("found {}", q.size()),
                     fmt::format("at most {}, the dimension of the model", dimension_));
  }
  std::array<float, kMaxDimension> displacement{}, normal{};
  for (std::size_t j = 0; j < q.size(); ++j) {
    displacement[j] = static_cast<float>(q[j]) * displacement_scale_[j];
    normal[j] = static_cast<float>(q[j]) * normal_scale_[j];
  }
  Eigen::Matrix4f placed = Eigen::Matrix4f::Identity();
  placed.topLeftCorner<3, 3>() = pose.orientation.toRotationMatrix().cast<float>();
  placed.topRightCorner<3, 1>() = pose.position.cast<float>();

  glUseProgram(program_);
  const auto uniform = [&](const char* name) { return glGetUniformLocation(program_, name); };
  glUniform1i(uniform("blocks"), 0);
  glUniform1i(uniform("groups"), static_cast<GLint>(groups_of(dimension_)));
  glUniform4fv(uniform("q_displacement"), kMaxDimension / 4, displacement.data());
  glUniform4fv(uniform("q_normal"), kMaxDimension / 4, normal.data());
  glUniformMatrix4fv(uniform("pose"), 1, GL_FALSE, placed.data());
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_BUFFER, texture_);
  glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffers_[kPositions]);
  glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 1, buffers_[kNormals]);
  GLint bound = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer_);
  glBindVertexArray(rest_array_);
  glEnable(GL_RASTERIZER_DISCARD);
  glBeginTransformFeedback(GL_POINTS);
  glDrawArrays(GL_POINTS, 0, vertex_count_);
  glEndTransformFeedback();
  glDisable(GL_RASTERIZER_DISCARD);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(bound));
  glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
  glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 1, 0);
  glBindVertexArray(0);
}

void GlReducedSurface::set_colours(std::span<const float> colours) {
  HAPTIC_DEMAND(colours.size() == 3 * static_cast<std::size_t>(vertex_count_));
  fill(GL_ARRAY_BUFFER, buffers_[kColours], colours.data(), colours.size_bytes(), GL_STATIC_DRAW);
  glBindVertexArray(drawn_array_);
  attach(buffers_[kColours], 2);  // three numbers: the fourth, the weight of this colour, is 1
  glBindVertexArray(0);
}

void GlReducedSurface::draw() const {
  glBindVertexArray(drawn_array_);
  glDrawElements(GL_TRIANGLES, index_count_, GL_UNSIGNED_INT, nullptr);
}

SurfacePoints GlReducedSurface::positions() const {
  return read_back(buffers_[kPositions], vertex_count_);
}

SurfacePoints GlReducedSurface::normals() const {
  return read_back(buffers_[kNormals], vertex_count_);
}

}  // namespace haptic
