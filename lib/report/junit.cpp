// SPDX-License-Identifier: BSD-3-Clause
#include "report/junit.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gensink::report {

namespace {

/// XML 1.0 knows no control characters but tab and line ends, not even escaped.
[[nodiscard]] std::string xml(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\n':
            out += "&#10;";
            break;
        default:
            out += static_cast<unsigned char>(c) < ' ' && c != '\t' ? '?' : c;
        }
    }
    return out;
}

[[nodiscard]] std::string
test_case(const std::string& suite, std::string_view name, const std::string& inside) {
    const std::string head =
        fmt::format("  <testcase classname=\"{}\" name=\"{}\"", suite, xml(name));
    return inside.empty() ? head + "/>\n" : head + ">\n" + inside + "  </testcase>\n";
}

/// Why the run as a whole proves nothing; empty where it does.
[[nodiscard]] std::string trouble_of(const experiment::ExperimentResult& result) {
    if (result.failed) {
        return "the run failed";
    }
    if (result.partial) {
        return "the run was cut short";
    }
    return result.verdict == experiment::Verdict::invalid ? "INVALID" : "";
}

}  // namespace

std::string junit(const Saved& saved) {
    const std::string suite = "gensink." + xml(saved.plan.name);
    const experiment::ExperimentResult& result = saved.result;
    const std::string trouble = trouble_of(result);
    std::string cases = test_case(
        suite,
        "the run",
        trouble.empty()
            ? fmt::format("    <system-out>{}</system-out>\n", xml(result.headline))
            : fmt::format("    <error message=\"{}\">{}</error>\n", trouble, xml(result.headline))
    );
    for (const experiment::Expectation& expectation : result.expectations) {
        cases += test_case(
            suite,
            expectation.text,
            expectation.met
                ? std::string()
                : fmt::format("    <failure message=\"observed {}\"/>\n", xml(expectation.observed))
        );
    }
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" timestamp=\"{}\">\n"
        "{}</testsuite>\n",
        suite,
        result.expectations.size() + 1,
        std::ranges::count(result.expectations, false, &experiment::Expectation::met),
        trouble.empty() ? 0 : 1,
        xml(saved.run.started),
        cases
    );
}

}  // namespace gensink::report
