#include "bench/contact_scenes/case_report.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "host/files/replace_file.h"
#include "lab/experiments/experiment.h"
#include "shared/simd/simd_target.h"

namespace haptic {
namespace {

using nlohmann::json;

std::string us(double value) {
  return fmt::format("{:.1f}", value);
}
std::string options_of(const VariantRun& v) {
  return fmt::format("{}{}", v.temporal_coherence ? "TC" : "-", v.node_budget > 0 ? " GD" : " -");
}
std::string quartet(const Quantiles& q) {
  return fmt::format("{:.1f} / {:.1f} / {:.1f} / {:.0f}", q.p50, q.p99, q.p999, q.max);
}

json to_json(const Quantiles& q) {
  return {{"p50", q.p50}, {"p99", q.p99}, {"p999", q.p999}, {"max", q.max}, {"mean", q.mean}};
}

json to_json(const VariantRun& v) {
  const ScriptedRun& r = v.run;
  return {{"temporal_coherence", v.temporal_coherence},
          {"node_budget", v.node_budget},
          {"level_median", r.median_level},
          {"level_least", r.least_level},
          {"level_changes_per_s", r.level_changes_per_s},
          {"cycles", r.cycles},
          {"cycles_in_contact", r.in_contact},
          {"visited_nodes", to_json(r.visited)},
          {"contacts", to_json(r.contacts)},
          {"couple_us", to_json(r.couple)},
          {"touch_us", to_json(r.touch)},
          {"move_us", to_json(r.move)},
          {"publish_us", to_json(r.publish)},
          {"total_us", to_json(r.total)},
          {"us_per_visited_node", r.us_per_visit},
          {"interrupted_cycles", r.interrupted},
          {"longest_uninterrupted_us", r.longest_uninterrupted},
          {"allocations", r.allocations_watched ? json(r.allocations) : json(nullptr)},
          {"page_faults", r.page_faults}};
}

json to_json(const Comparison& c) {
  const VoxmapFigures& v = c.voxmap;
  const FloorFigures& f = c.floor;
  return {{"states", c.states},
          {"tree_less_us", to_json(c.tree_less)},
          {"tree_less_contacts", c.tree_less_contacts},
          {"voxmap",
           {{"flat_us", to_json(v.flat)},
            {"two_level_us", to_json(v.two_level)},
            {"two_level_looked_up", v.looked_up},
            {"contacts", v.contacts},
            {"bytes", v.bytes}}},
          {"floor",
           {{"visited_nodes", f.visited},
            {"points", f.points},
            {"contacts", f.contacts},
            {"bytes", f.bytes},
            {"cache_line_bytes", f.line_bytes},
            {"gigabytes_per_s", f.gigabytes_per_s},
            {"cache_line_gigabytes_per_s", f.line_gigabytes_per_s},
            {"us", f.us},
            {"cache_line_us", f.line_us}}}};
}

json machine() {
  utsname name{};
  uname(&name);
  double load[3] = {};
  getloadavg(load, 3);
  std::ifstream info("/proc/cpuinfo");
  std::string line, processor;
  while (std::getline(info, line) && processor.empty()) {
    if (line.rfind("model name", 0) == 0) processor = line.substr(line.find(':') + 2);
  }
  char date[32] = {};
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof(date), "%FT%TZ", std::gmtime(&now));
  return {{"processor", processor},
          {"kernel", std::string(name.release) + " " + name.version},
          {"load_average", {load[0], load[1], load[2]}},
          {"simd", name_of(simd_target())},
          {"date", date}};
}

}  // namespace

std::string text_of(std::span<const MeasuredCase> cases) {
  ResultTable sizes({"case", "of Barbic 2007", "points", "levels", "r", "field", "r of field"});
  ResultTable stages({"case", "options", "nodes p50 / p99 / p99.9 / max", "contacts", "couple us",
                      "touch us", "move us", "publish us", "cycle us"});
  ResultTable health({"case", "options", "cycles", "in contact", "level p50", "least",
                      "changes / s", "ns a node", "allocations", "page faults", "interrupted",
                      "longest other us"});
  ResultTable beside({"case", "touch us", "floor us", "of lines us", "kB", "of lines kB", "GB/s",
                      "tree-less us", "voxmap flat us", "voxmap 2 levels us", "its look-ups"});
  for (const MeasuredCase& c : cases) {
    const Comparison& with = c.comparison;
    if (!c.variants.empty()) {
      const bool grid = with.voxmap.bytes > 0, two = with.voxmap.two_level.p50 > 0.0;
      beside.add({c.which.name, us(c.variants[0].run.touch.p50), us(with.floor.us),
                  us(with.floor.line_us), us(1e-3 * with.floor.bytes),
                  us(1e-3 * with.floor.line_bytes), us(with.floor.gigabytes_per_s),
                  us(with.tree_less.p50), grid ? us(with.voxmap.flat.p50) : "-",
                  two ? us(with.voxmap.two_level.p50) : "-",
                  two ? fmt::format("{:.0f}", with.voxmap.looked_up) : "-"});
    }
    sizes.add({c.which.name, c.which.published_pair, fmt::format("{}", c.points),
               fmt::format("{}", c.levels), fmt::format("{}", c.dimension),
               c.field_resolution > 0 ? fmt::format("{}^3", c.field_resolution) : "follows",
               fmt::format("{}", c.field_dimension)});
    for (const VariantRun& v : c.variants) {
      const ScriptedRun& r = v.run;
      const auto counts = [](const Quantiles& q) {
        return fmt::format("{:.0f} / {:.0f} / {:.0f} / {:.0f}", q.p50, q.p99, q.p999, q.max);
      };
      stages.add({c.which.name, options_of(v), counts(r.visited), counts(r.contacts),
                  quartet(r.couple), quartet(r.touch), quartet(r.move), quartet(r.publish),
                  quartet(r.total)});
      health.add({c.which.name, options_of(v), fmt::format("{}", r.cycles),
                  fmt::format("{}", r.in_contact), fmt::format("{}", r.median_level),
                  fmt::format("{}", r.least_level), us(r.level_changes_per_s),
                  us(1e3 * r.us_per_visit),
                  r.allocations_watched ? fmt::format("{}", r.allocations) : "not watched",
                  fmt::format("{}", r.page_faults), fmt::format("{}", r.interrupted),
                  us(r.longest_uninterrupted)});
    }
  }
  return sizes.text() + "\nus: p50 / p99 / p99.9 / max of a cycle\n" + stages.text() + "\n" +
         health.text() + "\nmedians; kB are means of a cycle\n" + beside.text();
}

void write_json(const std::filesystem::path& file, std::span<const MeasuredCase> cases) {
  json list = json::array();
  for (const MeasuredCase& c : cases) {
    json variants = json::array();
    for (const VariantRun& v : c.variants) variants.push_back(to_json(v));
    list.push_back({{"name", c.which.name},
                    {"published_pair", c.which.published_pair},
                    {"points", c.points},
                    {"levels", c.levels},
                    {"dimension", c.dimension},
                    {"field_resolution", c.field_resolution},
                    {"field_dimension", c.field_dimension},
                    {"runs", variants},
                    {"comparison", to_json(c.comparison)}});
  }
  const std::string text = json{{"machine", machine()}, {"cases", list}}.dump(2) + "\n";
  replace_file(file, {text});
}

}  // namespace haptic
