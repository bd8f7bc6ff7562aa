#pragma once

#include <string>

#include "host/monitor/status_report.h"

namespace haptic {

/// The state of a daemon in the text format of Prometheus (text exposition format 0.0.4): every
/// metric begins with `haptic_`, has HELP and TYPE and the label `daemon`; units are SI and part of
/// the names. Histograms are those of the scene and begin again with each; all other counters are
/// the daemon's since its start. Values that do not exist yet are left out.
std::string metrics_text(const std::string& daemon_name, const StatusReport& report);

/// What is known of a daemon that cannot be read: `haptic_up 0`, and the reason as a comment.
std::string metrics_text_without_daemon(const std::string& daemon_name, const std::string& reason);

/// metrics_text of the daemon that runs under this name now, or metrics_text_without_daemon of one
/// that does not run, has ended, or has another layout. Never throws for what the daemon does.
std::string read_metrics(const std::string& daemon_name);

}  // namespace haptic
