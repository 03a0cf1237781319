// SPDX-License-Identifier: BSD-3-Clause
#include "report/junit.hpp"

#include "catch.hpp"
#include "fixture.hpp"

using namespace gensink;
using namespace gensink::report;

namespace {

bool holds(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("each expectation is a test case, and an unmet one fails") {
    Saved saved = fixture::small();
    saved.plan.name = "a&b";
    saved.result.expectations = {
        {"rx.fps is at least 1", true, "2"}, {"loss < 1 % of \"x\"", false, "\x01 3 %"}};
    const std::string text = junit(saved);
    CHECK(holds(text, "<testsuite name=\"gensink.a&amp;b\" tests=\"3\" failures=\"1\" errors=\"0\"")
    );
    CHECK(holds(text, "name=\"rx.fps is at least 1\"/>"));
    CHECK(holds(text, "name=\"loss &lt; 1 % of &quot;x&quot;\">"));
    CHECK(holds(text, "<failure message=\"observed ? 3 %\"/>"));
}

TEST_CASE("a run that is invalid, failed or cut short is an error") {
    Saved saved = fixture::small();
    saved.result.headline = "INVALID: frames are missing";
    saved.result.verdict = experiment::Verdict::invalid;
    CHECK(holds(junit(saved), "errors=\"1\""));
    CHECK(holds(junit(saved), "<error message=\"INVALID\">INVALID: frames are missing</error>"));
    saved.result.partial = true;
    CHECK(holds(junit(saved), "<error message=\"the run was cut short\">"));
    saved.result.failed = true;
    CHECK(holds(junit(saved), "<error message=\"the run failed\">"));
}
