// SPDX-License-Identifier: BSD-3-Clause
#include "report/csv.hpp"
#include "report/html.hpp"
#include "report/json.hpp"
#include "report/text.hpp"
#include "report/write.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include "catch.hpp"
#include "fixture.hpp"

using namespace gensink;
using namespace gensink::report;
namespace fs = std::filesystem;

namespace {

/// A folder that goes with the test.
class Folder {
  public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "gensink-report-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }

    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    ~Folder() {
        std::error_code code;
        fs::remove_all(path_, code);
    }

    [[nodiscard]] const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::size_t entries(const fs::path& dir) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(dir), fs::directory_iterator())
    );
}

}  // namespace

TEST_CASE("a result's folder is named by time and name, and never shared") {
    const Folder folder;
    const fs::path base = folder.path() / "results";
    const auto make = [&] {
        return make_result_dir(base, "2026-11-30T13:25:37Z", "a b/../c");
    };
    const Result<fs::path> first = make();
    REQUIRE(first);
    CHECK(first->filename() == "2026-11-30T13-25-37Z-a_b_.._c");
    CHECK(first->parent_path() == base);
    CHECK(make()->filename() == "2026-11-30T13-25-37Z-a_b_.._c-2");
    CHECK(make()->filename() == "2026-11-30T13-25-37Z-a_b_.._c-3");
}

TEST_CASE("a base that is a file is an environment error that names it") {
    const Folder folder;
    std::ofstream(folder.path() / "file") << "x";
    const Result<fs::path> made = make_result_dir(folder.path() / "file", "t", "n");
    REQUIRE_FALSE(made);
    CHECK(made.error().kind == ErrorKind::environment);
    CHECK(made.error().where == (folder.path() / "file").string());
}

TEST_CASE("the five files of a result are what the renderings say, and nothing else is left") {
    const Folder folder;
    const fs::path dir = folder.path() / "new" / "run";
    const Saved saved = fixture::small();
    REQUIRE(write(dir, saved));
    CHECK(content(dir / "result.json") == json(saved));
    CHECK(content(dir / "result.csv") == csv(saved));
    CHECK(content(dir / "report.txt") == text(saved));
    CHECK(content(dir / "profile.yaml") == saved.plan.profile_text);
    CHECK(content(dir / "report.html") == html(saved));
    CHECK(entries(dir) == 5);
}

TEST_CASE("nothing is overwritten, and nothing is written beside it") {
    const Folder folder;
    std::ofstream(folder.path() / "report.txt") << "mine";
    const Result<void> done = write(folder.path(), fixture::small());
    REQUIRE_FALSE(done);
    CHECK(done.error().kind == ErrorKind::usage);
    CHECK(done.error().message.find("never overwritten") != std::string::npos);
    CHECK(content(folder.path() / "report.txt") == "mine");
    CHECK(entries(folder.path()) == 1);
    CHECK_FALSE(write_file(folder.path() / "report.txt", "other"));
    CHECK(content(folder.path() / "report.txt") == "mine");
    CHECK(entries(folder.path()) == 1);
}

TEST_CASE("a refusal of the system is an environment error with its code") {
    const Result<void> done = write_file("/proc/gensink-result", "x");
    REQUIRE_FALSE(done);
    CHECK(done.error().kind == ErrorKind::environment);
    CHECK(done.error().os_code != 0);
    CHECK(done.error().where == "/proc/gensink-result");
}

TEST_CASE("fields of the CSV are quoted where RFC 4180 wants it") {
    Saved saved = fixture::small();
    saved.plan.name = "a,\"b\"\nc";
    CHECK(csv(saved).find(",\"a,\"\"b\"\"\nc\",") != std::string::npos);
}

TEST_CASE("the CSV has a row a trial, all as wide as the header") {
    const std::string text = csv(fixture::sweep());
    std::size_t rows = 0;
    std::size_t fields = 0;
    for (std::size_t at = 0; at < text.size(); ++rows) {
        const std::size_t end = text.find("\r\n", at);
        REQUIRE(end != std::string::npos);
        const auto line = text.substr(at, end - at);
        const auto commas = static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
        fields = rows == 0 ? commas : fields;
        CHECK(commas == fields);
        at = end + 2;
    }
    CHECK(rows == 1 + fixture::sweep().result.trials.size());
}
