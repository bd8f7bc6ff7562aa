#include "host/view/gl_objects.h"

#include <epoxy/gl.h>
#include <fmt/format.h>

#include <array>
#include <utility>

#include "shared/error.h"

namespace haptic {
namespace {

GLuint compile(GLenum kind, std::string_view source) {
  const GLuint shader = glCreateShader(kind);
  const char* text = source.data();
  const auto length = static_cast<GLint>(source.size());
  glShaderSource(shader, 1, &text, &length);
  glCompileShader(shader);
  GLint good = GL_FALSE;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
  if (good != GL_TRUE) {
    std::array<char, 1024> log{};
    glGetShaderInfoLog(shader, static_cast<GLsizei>(log.size()), nullptr, log.data());
    throw OperationError(fmt::format("the OpenGL driver refused a shader: {}", log.data()));
  }
  return shader;
}

void link(GLuint program) {
  glLinkProgram(program);
  GLint good = GL_FALSE;
  glGetProgramiv(program, GL_LINK_STATUS, &good);
  if (good != GL_TRUE) {
    std::array<char, 1024> log{};
    glGetProgramInfoLog(program, static_cast<GLsizei>(log.size()), nullptr, log.data());
    throw OperationError(fmt::format("the OpenGL driver refused a program: {}", log.data()));
  }
}

void upload(GLuint buffer, GLuint attribute, const float* data, std::size_t count) {
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(count * sizeof(float)), data,
               GL_STATIC_DRAW);
  glEnableVertexAttribArray(attribute);
  glVertexAttribPointer(attribute, 3, GL_FLOAT, GL_FALSE, 0, nullptr);
}

}  // namespace

unsigned link_program(std::string_view vertex_source, std::string_view fragment_source) {
  const GLuint vertex = compile(GL_VERTEX_SHADER, vertex_source);
  const GLuint fragment = compile(GL_FRAGMENT_SHADER, fragment_source);
  const GLuint program = glCreateProgram();
  glAttachShader(program, vertex);
  glAttachShader(program, fragment);
  link(program);
  glDeleteShader(vertex);
  glDeleteShader(fragment);
  return program;
}

unsigned link_feedback_program(std::string_view vertex_source,
                               std::span<const char* const> outputs) {
  const GLuint vertex = compile(GL_VERTEX_SHADER, vertex_source);
  const GLuint program = glCreateProgram();
  glAttachShader(program, vertex);
  glTransformFeedbackVaryings(program, static_cast<GLsizei>(outputs.size()), outputs.data(),
                              GL_SEPARATE_ATTRIBS);
  link(program);
  glDeleteShader(vertex);
  return program;
}

GlSurface::GlSurface(const DisplaySurface& surface)
    : index_count_(static_cast<int>(surface.indices.size())) {
  glGenVertexArrays(1, &vertex_array_);
  glBindVertexArray(vertex_array_);
  glGenBuffers(3, buffers_);
  upload(buffers_[0], 0, surface.positions.data(),
         static_cast<std::size_t>(surface.positions.size()));
  upload(buffers_[1], 1, surface.normals.data(), static_cast<std::size_t>(surface.normals.size()));
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers_[2]);
  glBufferData(GL_ELEMENT_ARRAY_BUFFER,
               static_cast<GLsizeiptr>(surface.indices.size() * sizeof(std::uint32_t)),
               surface.indices.data(), GL_STATIC_DRAW);
  glBindVertexArray(0);
}

GlSurface::GlSurface(GlSurface&& other) noexcept
    : vertex_array_(std::exchange(other.vertex_array_, 0)), index_count_(other.index_count_) {
  for (int i = 0; i < 3; ++i) buffers_[i] = std::exchange(other.buffers_[i], 0);
}

GlSurface::~GlSurface() {
  if (vertex_array_ == 0) return;
  glDeleteBuffers(3, buffers_);
  glDeleteVertexArrays(1, &vertex_array_);
}

void GlSurface::draw() const {
  glBindVertexArray(vertex_array_);
  glDrawElements(GL_TRIANGLES, index_count_, GL_UNSIGNED_INT, nullptr);
}

}  // namespace haptic
