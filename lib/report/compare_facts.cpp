// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare.hpp"
#include "report/detail/match.hpp"
#include "report/detail/names.hpp"
#include "report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace gensink::report {

namespace {

/// Collects what differs, each thing once, with its first pair of values.
class Differences {
  public:
    /// An empty text is unknown: it differs from nothing.
    void add(const std::string& what, const std::string& a, const std::string& b) {
        const bool known = !a.empty() && !b.empty();
        const bool have =
            std::ranges::any_of(found_, [&](const Difference& one) { return one.what == what; });
        if (known && !have && a != b) {
            found_.push_back({what, a, b});
        }
    }

    [[nodiscard]] std::vector<Difference> take() && { return std::move(found_); }

  private:
    std::vector<Difference> found_;
};

[[nodiscard]] std::string yes_no(std::optional<bool> value) {
    if (!value) {
        return {};
    }
    return *value ? "on" : "off";
}

[[nodiscard]] std::string whole(std::uint64_t value) {
    return fmt::format("{}", value);
}

[[nodiscard]] std::string memory_of(const Saved& saved) {
    std::set<std::string> kinds;
    for (const trial::TrialResult& trial : saved.result.trials) {
        if (!trial.opened.memory.empty()) {
            kinds.insert(trial.opened.memory);
        }
    }
    return join({kinds.begin(), kinds.end()}, " and ");
}

[[nodiscard]] std::string versions_of(const Saved& saved) {
    std::vector<std::string> versions;
    for (const auto& [name, version] : saved.run.versions) {
        versions.push_back(fmt::format("{} {}", name, version));
    }
    return join(versions, ", ");
}

void add_host(const Saved& a, const Saved& b, Differences& found) {
    const HostFacts& left = a.run.host;
    const HostFacts& right = b.run.host;
    // One CPU brings its count and microcode with it: these differ on their own only within it.
    found.add("host CPU", left.cpu_model, right.cpu_model);
    if (left.cpu_model == right.cpu_model) {
        found.add("microcode", left.microcode, right.microcode);
        found.add(
            "host CPUs", left.cpus ? whole(*left.cpus) : "", right.cpus ? whole(*right.cpus) : ""
        );
    }
    found.add("kernel", left.kernel, right.kernel);
    found.add("kernel options", left.kernel_options, right.kernel_options);
    found.add("mitigations", left.mitigations, right.mitigations);
    found.add("governor", left.governor, right.governor);
    found.add("turbo", yes_no(left.turbo), yes_no(right.turbo));
    found.add("virtualization", left.virtualization, right.virtualization);
    found.add("versions", versions_of(a), versions_of(b));
    found.add("memory", memory_of(a), memory_of(b));
    found.add("shared cores", yes_no(a.plan.shared_cores), yes_no(b.plan.shared_cores));
}

[[nodiscard]] std::string load_text(const flow::Load& load) {
    const char* unit = detail::load_unit_names.at(static_cast<std::size_t>(load.unit));
    return load.unit == flow::LoadUnit::max ? unit : fmt::format("{} {}", load.value, unit);
}

/// Device and driver as an experimenter sees them: one thing, which changes as a whole.
[[nodiscard]] std::string wire_text(const CellSummary& cell) {
    if (cell.wire == plan::WireKind::cable) {
        return "cable";
    }
    const auto end = [](const EndSummary& one) {
        return fmt::format("{} ({})", one.name(), one.driver);
    };
    return fmt::format(
        "{} -> {}{}",
        end(cell.gen),
        cell.sink ? end(*cell.sink) : "no sink",
        cell.line_bps ? ", line " + bits_per_second(cell.line_bps) : ""
    );
}

[[nodiscard]] std::string cores_text(const EndSummary& end) {
    std::vector<std::string> cpus;
    for (const plan::CorePlan& core : end.cores) {
        cpus.push_back(whole(core.cpu.value));
    }
    return join(cpus, ",");
}

void add_end(
    const EndSummary& left, const EndSummary& right, const std::string& end, Differences& found
) {
    const bool gen = end == "tx";
    found.add(gen ? "burst" : "sink burst", whole(left.burst), whole(right.burst));
    found.add(gen ? "queues" : "sink queues", whole(left.queues), whole(right.queues));
    found.add(
        gen ? "descriptors" : "sink descriptors", whole(left.descriptors), whole(right.descriptors)
    );
    found.add(gen ? "CPUs" : "sink CPUs", cores_text(left), cores_text(right));
}

void add_cell(const CellSummary& left, const CellSummary& right, Differences& found) {
    found.add("wire", wire_text(left), wire_text(right));
    // A block's size decides the frame's unless blocks are coalesced: name the cause.
    const bool same_block = left.block_bytes == right.block_bytes;
    if (!same_block) {
        found.add("block bytes", whole(left.block_bytes), whole(right.block_bytes));
    } else {
        found.add("frame bytes", number(left.frame_bytes), number(right.frame_bytes));
    }
    found.add("load", load_text(left.load), load_text(right.load));
    add_end(left.gen, right.gen, "tx", found);
    if (left.sink && right.sink) {
        add_end(*left.sink, *right.sink, "rx", found);
    }
    found.add("flows", whole(left.flows), whole(right.flows));
    found.add(
        "fill",
        detail::fill_names.at(static_cast<std::size_t>(left.fill)),
        detail::fill_names.at(static_cast<std::size_t>(right.fill))
    );
    found.add("measure time", duration(left.measure), duration(right.measure));
    found.add("planted faults", yes_no(left.fault), yes_no(right.fault));
}

[[nodiscard]] std::vector<detail::CellMatch>
matches_of(const Saved& a, const Saved& b, bool any_arm) {
    std::vector<detail::CellMatch> matches;
    const auto comparable = [any_arm](const CellSummary& left, const CellSummary& right) {
        return !left.placebo && !right.placebo && left.point == right.point &&
               (any_arm || left.arm == right.arm);
    };
    for (std::size_t i = 0; i < a.plan.cells.size(); ++i) {
        for (std::size_t j = 0; j < b.plan.cells.size(); ++j) {
            const CellSummary& left = a.plan.cells[i];
            const CellSummary& right = b.plan.cells[j];
            if (comparable(left, right)) {
                const bool same = left.arm == right.arm;
                matches.push_back(
                    {i, j, same ? left.arm : fmt::format("{} / {}", left.arm, right.arm)}
                );
            }
        }
    }
    return matches;
}

[[nodiscard]] bool alone(const Saved& saved) {
    return saved.plan.arms.size() == 1;
}

}  // namespace

namespace detail {

std::vector<CellMatch> match_cells(const Saved& a, const Saved& b) {
    std::vector<CellMatch> matches = matches_of(a, b, false);
    return matches.empty() && alone(a) && alone(b) ? matches_of(a, b, true) : matches;
}

}  // namespace detail

std::vector<Difference> differences(const Saved& a, const Saved& b, const KeyDifferences& keys) {
    Differences found;
    add_host(a, b, found);
    for (const detail::CellMatch& match : detail::match_cells(a, b)) {
        const auto written = keys ? keys(match.a, match.b) : std::nullopt;
        if (!written || written->empty()) {
            add_cell(a.plan.cells.at(match.a), b.plan.cells.at(match.b), found);
        }
        for (const Difference& one : written.value_or(std::vector<Difference>())) {
            found.add(one.what, one.a, one.b);
        }
    }
    return std::move(found).take();
}

}  // namespace gensink::report
