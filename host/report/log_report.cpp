#include "host/report/log_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "host/files/replace_file.h"
#include "host/log/log_completeness.h"
#include "host/log/logged_models.h"
#include "host/log/logged_warnings.h"
#include "host/report/html.h"
#include "host/report/log_facts.h"
#include "host/report/log_summary.h"
#include "host/report/report_pictures.h"
#include "shared/ipc/event_text.h"

namespace haptic {
namespace {

constexpr std::size_t kMaxEvents = 2000;

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 15px/1.45 sans-serif; color: #222; background: #fff; max-width: 1240px; margin: 2em auto; padding: 0 1em }
h1 { font-size: 1.6em } h2 { font-size: 1.2em; margin-top: 2em; border-bottom: 1px solid #ccc }
table { border-collapse: collapse; margin: 0.6em 0 } td, th { padding: 0.15em 1.2em 0.15em 0; text-align: left;
vertical-align: top } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums } tr { border-bottom: 1px solid #eee }
pre { background: #f6f6f6; padding: 0.8em; overflow: auto; max-height: 30em } img { max-width: 100% }
figure { display: inline-block; width: 32%; min-width: 320px; margin: 0.5em 0.5% 0.5em 0; vertical-align: top } .fault, .missing { color: #b00000 } td { overflow-wrap: anywhere }
</style>
)";

std::string row(std::string_view name, std::string_view value) {
  return fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", html_text(name), html_text(value));
}

std::string_view text_of(LoggedModel model) {
  switch (model) {
    case LoggedModel::kShape:
      break;
    case LoggedModel::kSame:
      return "as it was run";
    case LoggedModel::kChanged:
      return "changed since";
    case LoggedModel::kUnreadable:
      return "not readable here";
  }
  return {};
}

/// What the log lacks, above all figures; empty for a whole one.
std::string completeness_html(const LogReader& log) {
  const std::vector<std::string> lacks = completeness(log);
  if (lacks.empty()) return {};
  std::string html = "<p class=\"missing\">This log is not whole:</p>\n<ul class=\"missing\">\n";
  for (const std::string& sentence : lacks) html += "<li>" + html_text(sentence) + "</li>\n";
  return html + "</ul>\n";
}

/// Where the hand felt, or a body did, something else than what the scene describes.
std::string warnings_html(const LogReader& log) {
  const std::vector<WarningFinding> findings = logged_warnings(log);
  if (findings.empty()) return {};
  std::string html = "<h2>Physical warnings</h2>\n<ul class=\"missing\">\n";
  for (const WarningFinding& finding : findings) {
    html += fmt::format("<li>{}; last in cycle {}</li>\n", html_text(finding.text()),
                        finding.record.last_cycle);
  }
  return html + "</ul>\n";
}

std::string run_html(const LogReader& log, const LogFacts& facts) {
  std::string html = "<h2>What was run</h2>\n<table>\n" + row("log", log.path().string());
  for (const auto& [name, value] : facts.attributes) html += row(name, value);
  html +=
      "</table>\n<table><tr><th>body</th><th>model</th><th>coordinates</th><th>state</th></tr>\n";
  for (const LogBody& body : log.description().bodies) {
    html += fmt::format("<tr><td>{}{}</td><td>{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
                        html_text(body.name), body.held ? " (held)" : "",
                        html_text(body.model_path), body.coordinate_count, text_of(state_of(body)));
  }
  html += "</table>\n";
  // Not from the path in the log: who made it may have named a private file of this reader's.
  if (!facts.scene_text.empty()) {
    html += fmt::format("<details><summary>scene</summary><pre>{}</pre></details>\n",
                        html_text(facts.scene_text));
  }
  if (!facts.parameters.empty()) {
    html += "<details><summary>parameters when the recording began</summary><table>\n";
    for (const auto& [name, value] : facts.parameters)
      html += row(name, fmt::format("{:g}", value));
    html += "</table></details>\n";
  }
  return html;
}

std::string summary_html(const LogReader& log, const LogSummary& summary) {
  std::string html = "<h2>Summary</h2>\n<table>\n";
  html += row("duration",
              fmt::format("{:.3f} s, from {:.3f} s to {:.3f} s", summary.last_s - summary.first_s,
                          summary.first_s, summary.last_s));
  html +=
      row("cycles recorded", fmt::format("{} at {:g} Hz", summary.rows, log.description().rate_hz));
  html += row("engaged", fmt::format("{:.3f} s", summary.engaged_s));
  html +=
      row("samples lost",
          fmt::format("{} ({} gaps)", summary.lost ? fmt::format("{}", *summary.lost) : "unknown",
                      summary.gaps));
  if (log.description().timing) {
    const std::string lost_events = summary.lost_events.text();
    html += row("events lost", lost_events.empty() ? "0" : lost_events);
  }
  if (log.description().timing) html += row("slots missed", fmt::format("{}", summary.missed));
  html += row("cycles with a limited wrench", fmt::format("{}", summary.limited));
  html += row("cycles on the ramp after an engage", fmt::format("{}", summary.ramped));
  std::string faults;
  for (const std::string& fault : summary.faults) faults += (faults.empty() ? "" : ", ") + fault;
  html += fmt::format("<tr><td>faults</td><td{}>{}</td></tr>\n",
                      faults.empty() ? "" : " class=\"fault\"",
                      faults.empty() ? "none" : html_text(faults));
  if (summary.not_finite > 0) {
    html += row("forces that are not finite", fmt::format("{}", summary.not_finite));
  }
  html +=
      "</table>\n<table><tr><th>largest</th><th class=\"n\">value</th><th>unit</th>"
      "<th class=\"n\">at [s]</th></tr>\n";
  for (const LogExtreme& extreme : summary.extremes) {
    html += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{:.5g}</td><td>{}</td><td class=\"n\">{:.3f}</td></tr>\n",
        html_text(extreme.name), extreme.value, html_text(extreme.unit == "1" ? "" : extreme.unit),
        extreme.time);
  }
  return html + "</table>\n";
}

std::string times_html(const LogSummary& summary) {
  if (summary.times.empty()) return {};
  std::string html =
      "<h2>Times of the cycle</h2>\n<table><tr><th>[us]</th><th class=\"n\">median</th>"
      "<th class=\"n\">99 %</th><th class=\"n\">99.9 %</th><th class=\"n\">max</th></tr>\n";
  for (const CycleTimes& t : summary.times) {
    html += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{:.1f}</td><td class=\"n\">{:.1f}</td>"
        "<td class=\"n\">{:.1f}</td><td class=\"n\">{:.1f}</td></tr>\n",
        html_text(t.name), t.p50, t.p99, t.p999, t.max);
  }
  return html + "</table>\n" + histograms_html(summary.times);
}

std::string events_html(const LogReader& log) {
  const std::vector<EventRecord> events = log.events();
  if (events.empty()) return {};
  std::string html =
      "<h2>Events</h2>\n<table><tr><th class=\"n\">time [s]</th><th class=\"n\">cycle</th>"
      "<th>event</th></tr>\n";
  for (std::size_t i = 0; i < std::min(events.size(), kMaxEvents); ++i) {
    const EventRecord& event = events[i];
    html +=
        fmt::format("<tr{}><td class=\"n\">{:.3f}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
                    event.kind == EventKind::kFault ? " class=\"fault\"" : "",
                    static_cast<double>(event.cycle) / log.description().rate_hz, event.cycle,
                    html_text(event_text(event)));
  }
  html += "</table>\n";
  if (events.size() > kMaxEvents) {
    html += fmt::format("<p>and {} more</p>\n", events.size() - kMaxEvents);
  }
  return html;
}

}  // namespace

void write_report(const LogReader& log, const std::filesystem::path& page,
                  const Progress& progress) {
  // Of the time, at the end of each part: gnuplot and the pictures take most.
  constexpr double kSummary = 0.15, kPictures = 0.5, kPlots = 0.9;
  const auto done = [&progress](double fraction) {
    if (progress) progress(fraction);
  };
  const LogFacts facts = read_log_facts(log);
  const LogSummary summary = summary_of(log);
  done(kSummary);
  const std::string pictures = scene_pictures_html(log, part_of(progress, kSummary, kPictures));
  done(kPictures);
  const std::string plots = plots_html(log);
  done(kPlots);
  const std::string title = html_text(log.path().filename().string());
  const std::string html = fmt::format(
      "{}<title>{} - hapticd</title></head><body>\n<h1>{}</h1>\n{}{}{}{}<h2>Strongest "
      "contacts</h2>\n"
      "{}<h2>Plots</h2>\n{}{}{}</body></html>\n",
      kHead, title, title, completeness_html(log), warnings_html(log), run_html(log, facts),
      summary_html(log, summary), pictures, plots, times_html(summary), events_html(log));
  replace_file(page, {html});
}

}  // namespace haptic
