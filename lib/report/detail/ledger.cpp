// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/charts.hpp"
#include "report/detail/names.hpp"
#include "report/detail/page.hpp"
#include "report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

/// Sections on what may be believed: the ledger, reasons, warnings.
namespace gensink::report::detail {

namespace {

using trial::Ledger;
using trial::TrialResult;

constexpr std::size_t most_lines = 8;

/// Sums of signed and unsigned terms; `has_sink` only where every trial has one.
[[nodiscard]] Ledger sum_of(const std::vector<const TrialResult*>& trials) {
    Ledger sum;
    sum.has_sink = !trials.empty();
    for (const TrialResult* one : trials) {
        const Ledger& ledger = one->ledger;
        sum.has_sink = sum.has_sink && ledger.has_sink;
        sum.built += ledger.built;
        sum.accepted += ledger.accepted;
        sum.refused += ledger.refused;
        sum.in_order += ledger.in_order;
        sum.late += ledger.late;
        sum.corrupt += ledger.corrupt;
        sum.stale += ledger.stale;
        sum.lost += ledger.lost;
        sum.duplicate += ledger.duplicate;
        sum.foreign += ledger.foreign;
        sum.background += ledger.background;
        sum.unknown_place += ledger.unknown_place;
        sum.residue += ledger.residue;
        for (const Ledger::Attribution& part : ledger.attributed) {
            const auto same = std::find_if(
                sum.attributed.begin(),
                sum.attributed.end(),
                [&](const Ledger::Attribution& have) {
                    return have.place == part.place && have.trust == part.trust;
                }
            );
            if (same == sum.attributed.end()) {
                sum.attributed.push_back(part);
            } else {
                same->frames += part.frames;
            }
        }
    }
    return sum;
}

void add_loss_places(Page& page, const Ledger& sum) {
    std::string places;
    for (const Ledger::Attribution& part : sum.attributed) {
        const char* trust = trust_names.at(static_cast<std::size_t>(part.trust));
        places += fmt::format("{} {} ({}), ", part.place, signed_count(part.frames), trust);
    }
    if (sum.lost != 0 || sum.unknown_place != 0) {
        page.paragraph(fmt::format(
            "  lost at: {}place unknown {}{}",
            places,
            signed_count(sum.unknown_place),
            places.empty() ? "" : " (devices count all phases, the loss is the measure phase's)"
        ));
    }
}

/// The terms that accepted frames go to; of a closed loop, which counts each copy that it sends.
[[nodiscard]] std::string balance_of(const Ledger& sum, bool closed) {
    std::string text = fmt::format(
        "  accepted = in order {} + late {} + corrupt {}",
        count(sum.in_order),
        count(sum.late),
        count(sum.corrupt)
    );
    if (closed) {
        text += fmt::format(" + duplicate {} + stale {}", count(sum.duplicate), count(sum.stale));
    }
    return fmt::format(
        "{} + lost {}; loss {}", text, signed_count(sum.lost), loss(sum.lost, sum.accepted)
    );
}

void add_sum(Page& page, const Ledger& sum, bool closed) {
    page.paragraph(fmt::format(
        "  built {}; accepted {}; refused and carried over {}",
        count(sum.built),
        count(sum.accepted),
        count(sum.refused)
    ));
    if (!sum.has_sink) {
        page.line("  no sink: the ledger ends at device out");
        return;
    }
    page.paragraph(balance_of(sum, closed));
    page.paragraph(
        closed ? fmt::format(
                     "  apart: foreign {}, background {}; frames sent again are accepted again",
                     count(sum.foreign),
                     count(sum.background)
                 )
               : fmt::format(
                     "  apart: duplicate {}, stale {}, foreign {}, background {}",
                     count(sum.duplicate),
                     count(sum.stale),
                     count(sum.foreign),
                     count(sum.background)
                 )
    );
    add_loss_places(page, sum);
    page.line(fmt::format("  residue {}", signed_count(sum.residue)));
}

[[nodiscard]] std::string anomalies_of(const Ledger& ledger) {
    std::string text;
    const auto add = [&](const char* what, std::int64_t frames) {
        if (frames != 0) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, signed_count(frames));
        }
    };
    if (ledger.has_sink) {
        add("lost", ledger.lost);
        add("late", static_cast<std::int64_t>(ledger.late));
        add("duplicate", static_cast<std::int64_t>(ledger.duplicate));
        add("corrupt", static_cast<std::int64_t>(ledger.corrupt));
        add("stale", static_cast<std::int64_t>(ledger.stale));
        add("foreign", static_cast<std::int64_t>(ledger.foreign));
    }
    add("residue", ledger.residue);
    return text;
}

[[nodiscard]] std::string arm_text(const Page& page, const TrialResult& one) {
    const CellSummary& cell = page.saved.plan.cells.at(one.cell);
    return cell.placebo ? "placebo" : cell.arm;
}

[[nodiscard]] std::string trial_text(const Page& page, const TrialResult& one) {
    const std::string point = point_text(page.saved.plan.cells.at(one.cell).point);
    const std::string arm = arm_text(page, one);
    const std::string round =
        one.round == 0 ? std::string("before the rounds") : fmt::format("round {}", one.round);
    return fmt::format(
        "{}{}, {}{}{}, load {}",
        round,
        one.attempt > 0 ? fmt::format(" (repeat {})", one.attempt) : "",
        arm,
        point.empty() ? "" : " at ",
        point,
        load_kind_names.at(static_cast<std::size_t>(one.load_kind))
    );
}

void add_anomalies(Page& page) {
    std::size_t found = 0;
    for (const TrialResult& one : page.saved.result.trials) {
        const bool counted = !one.counts.gen.empty() || !one.counts.sink.empty();
        const std::string text = counted ? anomalies_of(one.ledger) : std::string();
        // A search looks for loss: its probes are not anomalies.
        if (text.empty() || one.load_kind == trial::LoadKind::probe) {
            continue;
        }
        if (++found <= most_lines) {
            page.paragraph(fmt::format("  {}: {}", trial_text(page, one), text));
        }
    }
    if (found > most_lines) {
        page.line(fmt::format("  and {} more trials: see result.csv", found - most_lines));
    }
}

/// Same code and severity: one line, with the first message and the trials by arm.
struct ReasonGroup {
    const trial::Reason* first = nullptr;
    const TrialResult* where = nullptr;
    std::map<std::string, std::size_t> trials;

    /// "; 16 trials: batched 7, one-by-one 9", or nothing for one.
    [[nodiscard]] std::string others() const {
        std::size_t all = 0;
        std::vector<std::string> arms;
        for (const auto& [arm, n] : trials) {
            all += n;
            arms.push_back(fmt::format("{} {}", arm, n));
        }
        return all < 2 ? "" : fmt::format("; {} trials: {}", all, join(arms, ", "));
    }
};

[[nodiscard]] std::string severity_text(trial::Severity severity) {
    switch (severity) {
    case trial::Severity::invalid:
        return "INVALID";
    case trial::Severity::external:
        return "DISTURBED";
    default:
        return "note";
    }
}

void add_ledger_of(Page& page, const std::vector<const TrialResult*>& trials, bool counted) {
    if (trials.empty()) {
        return;
    }
    const bool probes = trials.front()->load_kind == trial::LoadKind::probe;
    page.title(fmt::format(
        "Ledger of {} {}{} ({} of the measure phase{})",
        trials.size(),
        probes ? "probe" : "trial",
        trials.size() == 1 ? "" : "s",
        trials.front()->ledger.in_bytes ? "bytes of TCP" : "frames",
        counted ? "" : "; none counts"
    ));
    const bool closed = std::ranges::all_of(trials, [](const TrialResult* one) {
        return one->counts.transport && !one->counts.transport->flows.empty();
    });
    add_sum(page, sum_of(trials), closed);
}

/// The trials whose ledgers are told: those that count, or, where none does, those that moved.
struct LedgerTrials {
    std::vector<const TrialResult*> in_frames;
    std::vector<const TrialResult*> in_bytes;
    bool counted = false;
};

[[nodiscard]] LedgerTrials ledger_trials(const Page& page) {
    std::vector<const TrialResult*> trials;
    for (const Sample& sample : page.samples) {
        if (sample.counted) {
            trials.insert(trials.end(), sample.trials.begin(), sample.trials.end());
        }
    }
    const bool counted = !trials.empty();
    if (!counted) {
        for (const TrialResult& one : page.saved.result.trials) {
            if (!one.counts.gen.empty() || !one.counts.sink.empty()) {
                trials.push_back(&one);
            }
        }
    }
    const auto split =
        std::stable_partition(trials.begin(), trials.end(), [](const TrialResult* one) {
            return !one->ledger.in_bytes;
        });
    return {{trials.begin(), split}, {split, trials.end()}, counted};
}

}  // namespace

void add_ledger(Page& page) {
    const LedgerTrials trials = ledger_trials(page);
    add_ledger_of(page, trials.in_frames, trials.counted);
    add_ledger_of(page, trials.in_bytes, trials.counted);
    if (!trials.in_frames.empty() || !trials.in_bytes.empty()) {
        add_anomalies(page);
    }
}

std::vector<LedgerFlow> ledger_flows(const Page& page) {
    const LedgerTrials trials = ledger_trials(page);
    std::vector<LedgerFlow> flows;
    for (const auto* some : {&trials.in_frames, &trials.in_bytes}) {
        if (!some->empty()) {
            flows.push_back({some->size(), some == &trials.in_bytes, sum_of(*some)});
        }
    }
    return flows;
}

void add_reasons(Page& page) {
    // The worst first; then in the order of codes.
    std::map<std::pair<int, int>, ReasonGroup> groups;
    for (const TrialResult& one : page.saved.result.trials) {
        for (const trial::Reason& reason : one.reasons) {
            ReasonGroup& group =
                groups[{-static_cast<int>(reason.severity), static_cast<int>(reason.code)}];
            if (group.first == nullptr) {
                group.first = &reason;
                group.where = &one;
            }
            ++group.trials[arm_text(page, one)];
        }
    }
    if (groups.empty()) {
        return;
    }
    page.title("Reasons");
    for (const auto& [key, group] : groups) {
        const trial::Reason& reason = *group.first;
        page.paragraph(fmt::format(
            "  {} {} ({}{}): {}",
            severity_text(reason.severity),
            trial::name(reason.code),
            trial_text(page, *group.where),
            group.others(),
            reason.message
        ));
        if (!reason.advice.empty()) {
            page.paragraph(fmt::format("    do: {}", reason.advice), "        ");
        }
    }
}

void add_warnings(Page& page) {
    std::vector<std::string> warnings;
    const auto add = [&](const std::string& text) {
        if (std::find(warnings.begin(), warnings.end(), text) == warnings.end()) {
            warnings.push_back(text);
        }
    };
    for (const std::string& text : page.saved.result.warnings) {
        add(text);
    }
    for (const std::string& text : page.saved.plan.warnings) {
        add(text);
    }
    for (const CellSummary& cell : page.saved.plan.cells) {
        for (const std::string& text : cell.warnings) {
            add(text);
        }
    }
    for (const TrialResult& one : page.saved.result.trials) {
        for (const std::string& text : one.opened.warnings) {
            add(text);
        }
    }
    if (warnings.empty()) {
        return;
    }
    page.title("Warnings");
    for (const std::string& text : warnings) {
        page.paragraph("  " + text);
    }
}

}  // namespace gensink::report::detail
