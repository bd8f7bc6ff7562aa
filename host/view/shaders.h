#pragma once

#include <string_view>

namespace haptic::shaders {

inline constexpr std::string_view kShadowVertex = R"(#version 330 core
layout(location = 0) in vec3 position;
uniform mat4 light;
void main() { gl_Position = light * vec4(position, 1.0); })";

inline constexpr std::string_view kShadowFragment = R"(#version 330 core
void main() {})";

inline constexpr std::string_view kBackgroundVertex = R"(#version 330 core
out float height;
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  height = 0.5 * (corner.y + 1.0);
  gl_Position = vec4(corner, 0.0, 1.0);
})";

inline constexpr std::string_view kBackgroundFragment = R"(#version 330 core
in float height;
out vec4 color;
void main() { color = vec4(mix(vec3(0.80, 0.82, 0.85), vec3(0.95, 0.96, 0.98), height), 1.0); })";

/// u = U q and n = normalise(N + DN q), then the pose; captured by transform feedback. A vertex has
/// six rows of `groups` texels: U and DN by axis, four reduced coordinates a texel.
inline constexpr std::string_view kDeformVertex = R"(#version 330 core
layout(location = 0) in vec3 rest;
layout(location = 1) in vec3 rest_normal;
uniform samplerBuffer blocks;
uniform int groups;
uniform vec4 q_displacement[16];
uniform vec4 q_normal[16];
uniform mat4 pose;
out vec3 p_world;
out vec3 n_world;
void main() {
  vec3 u = vec3(0.0), d = vec3(0.0);
  int at = 6 * groups * gl_VertexID;
  for (int k = 0; k < groups; ++k) {
    vec4 q = q_displacement[k];
    u += vec3(dot(texelFetch(blocks, at + k), q), dot(texelFetch(blocks, at + groups + k), q),
              dot(texelFetch(blocks, at + 2 * groups + k), q));
    q = q_normal[k];
    d += vec3(dot(texelFetch(blocks, at + 3 * groups + k), q),
              dot(texelFetch(blocks, at + 4 * groups + k), q),
              dot(texelFetch(blocks, at + 5 * groups + k), q));
  }
  vec3 n = rest_normal + d;
  n = length(n) > 1e-6 ? normalize(n) : rest_normal;  // undefined under extreme compression
  p_world = (pose * vec4(rest + u, 1.0)).xyz;
  n_world = normalize(mat3(pose) * n);
})";

inline constexpr std::string_view kBodyVertex = R"(#version 330 core
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 tint;  // colour and its weight; (0, 0, 0, 0) if no buffer is bound
uniform mat4 view, projection, light;
out vec4 tint_here;
out vec3 p_world;
out vec3 n_world;
out vec4 p_light;
void main() {
  tint_here = tint;
  p_world = position;
  n_world = normal;
  p_light = light * vec4(position, 1.0);
  gl_Position = projection * view * vec4(position, 1.0);
})";

/// Two lights (the key light with a percentage-closer filtered shadow), a sky term and a highlight.
inline constexpr std::string_view kBodyFragment = R"(#version 330 core
in vec3 p_world;
in vec3 n_world;
in vec4 p_light;
in vec4 tint_here;
uniform vec3 eye, key, base_color, fade_centre;
uniform float shininess, fade_radius;
uniform sampler2DShadow shadow;
out vec4 color;
float lit() {
  vec3 p = 0.5 * p_light.xyz / p_light.w + 0.5;
  if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
  float sum = 0.0;
  vec2 texel = 1.5 / vec2(textureSize(shadow, 0));
  for (int i = -2; i <= 2; ++i)
    for (int j = -2; j <= 2; ++j)
      sum += texture(shadow, vec3(p.xy + vec2(i, j) * texel, p.z - 0.0015));
  return sum / 25.0;
}
void main() {
  vec3 n = normalize(n_world);
  vec3 v = normalize(eye - p_world);
  if (dot(n, v) < 0.0) n = -n;
  vec3 h = normalize(key + v);
  vec3 fill = normalize(vec3(-0.6, 0.3, 0.4));
  float s = lit();
  float diffuse = 0.75 * s * max(dot(n, key), 0.0) + 0.18 * max(dot(n, fill), 0.0);
  float sky = 0.22 + 0.10 * n.y;
  vec3 c = mix(base_color, tint_here.rgb, tint_here.a) * (diffuse + sky) + shininess * s * vec3(pow(max(dot(n, h), 0.0), 60.0));
  float alpha = fade_radius > 0.0 ? 1.0 - smoothstep(0.35, 1.0, length(p_world - fade_centre) / fade_radius) : 1.0;
  color = vec4(pow(clamp(c, 0.0, 1.0), vec3(1.0 / 1.4)), alpha);
})";

}  // namespace haptic::shaders
