// SPDX-License-Identifier: BSD-3-Clause
#include "report/csv.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

#include "catch.hpp"
#include "fixture.hpp"
#include "golden.hpp"

using namespace gensink::report;

TEST_CASE("the text of a sweep is as agreed") {
    CHECK(fixture::differs_from_golden("sweep.txt", text(fixture::sweep())) == "");
}

TEST_CASE("the text of a sweep folds into a narrow terminal") {
    CHECK(
        fixture::differs_from_golden("sweep-60.txt", text(fixture::sweep(), {.width = 60})) == ""
    );
}

TEST_CASE("the text of a search is as agreed") {
    CHECK(fixture::differs_from_golden("search.txt", text(fixture::search())) == "");
}

TEST_CASE("the text of a run that broke off is as agreed") {
    CHECK(fixture::differs_from_golden("broken.txt", text(fixture::broken())) == "");
}

TEST_CASE("the text of a modelled transfer is as agreed") {
    CHECK(
        fixture::differs_from_golden(
            "transfer.txt", text(fixture::transfer(gensink::plan::WireKind::model))
        ) == ""
    );
}

TEST_CASE("the JSON of a small result is as agreed") {
    CHECK(fixture::differs_from_golden("small.json", json(fixture::small())) == "");
}

TEST_CASE("the CSV of a small result is as agreed") {
    CHECK(fixture::differs_from_golden("small.csv", csv(fixture::small())) == "");
}

TEST_CASE("the result's JSON Schema is as agreed") {
    CHECK(fixture::differs_from_golden("result.schema.json", result_schema()) == "");
}
