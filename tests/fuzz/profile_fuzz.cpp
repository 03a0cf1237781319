// SPDX-License-Identifier: BSD-3-Clause
#include "profile/driver_config.hpp"
#include "profile/profile.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"

/// Mutated profiles, from a fixed seed: whatever the bytes, load returns a profile or errors that
/// say where and what, and never crashes. Runs under the sanitizers too.
namespace {

using namespace gensink;

constexpr std::size_t mutants = 3000;

std::vector<std::string> read_corpus() {
    const char* root = std::getenv("GENSINK_SOURCE_ROOT");
    const std::filesystem::path source = root == nullptr ? "." : root;
    std::vector<std::string> corpus;
    for (const char* folder :
         {"profiles", "tests/unit/profile/examples", "tests/fuzz/corpus", "drivers-config"}) {
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(source / folder)) {
            if (entry.is_regular_file() && entry.path().extension() != ".md") {
                files.push_back(entry.path());
            }
        }
        std::ranges::sort(files);  // the same mutants on every machine
        for (const auto& file : files) {
            std::ifstream stream(file, std::ios::binary);
            corpus.emplace_back(
                std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()
            );
        }
    }
    return corpus;
}

/// Changes texts in the ways that people and bad disks do.
class Mutator {
  public:
    explicit Mutator(const std::vector<std::string>& corpus) : corpus_(corpus) {}

    std::string next() {
        std::string text = corpus_[pick(corpus_.size())];
        for (std::size_t i = 0; i <= pick(6); ++i) {
            mutate(text);
        }
        return text;
    }

  private:
    std::size_t pick(std::size_t below) { return below == 0 ? 0 : random_() % below; }

    void mutate(std::string& text) {
        static constexpr std::string_view tokens[] = {
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "\n",
            "  ",
            "- ",
            "&a ",
            "*a",
            "!!str ",
            "|",
            ">",
            "?",
            "#",
            "\"",
            "'",
            "gensink: 1\n",
            "tx.burst",
            "auto",
            "none",
            "64 KiB",
            "-1",
            "1e9",
            "%",
            "\t",
            "\xff",
            std::string_view("\0", 1),
            "---\n",
            "<<: ",
            "\xe2\x98\xba"};
        const std::size_t at = pick(text.size() + 1);
        const std::size_t length = std::min(pick(40), text.size() - at);
        switch (pick(6)) {
        case 0:
            text.erase(at, length);
            break;
        case 1:
            text.insert(at, tokens[pick(std::size(tokens))]);
            break;
        case 2:
            text.insert(at, text.substr(at, length));
            break;
        case 3:
            if (at < text.size()) {
                text[at] = static_cast<char>(random_());
            }
            break;
        case 4: {
            const std::string& other = corpus_[pick(corpus_.size())];
            text.insert(at, other, pick(other.size() + 1), pick(200));
            break;
        }
        default:
            text.resize(at);
            break;
        }
    }

    const std::vector<std::string>& corpus_;
    std::mt19937_64 random_{20070611};
};

void check_errors(const std::vector<Error>& errors) {
    CHECK_FALSE(errors.empty());
    CHECK(errors.size() <= 101);
    for (const Error& error : errors) {
        CHECK_FALSE(error.message.empty());
        CHECK_FALSE(error.where.empty());
    }
}

}  // namespace

TEST_CASE("mutated profiles load or are refused with places") {
    const std::vector<std::string> corpus = read_corpus();
    REQUIRE(corpus.size() > 15);
    Mutator mutator(corpus);
    std::size_t loaded = 0;
    for (std::size_t i = 0; i < mutants; ++i) {
        const std::string text = mutator.next();
        CAPTURE(i, text);
        const auto profile = profile::load(text, "fuzz.yaml");
        if (profile) {
            ++loaded;
            CHECK_FALSE(profile->cells.empty());
        } else {
            check_errors(profile.error());
        }
        if (const auto driver = profile::load_driver(text, "fuzz.yaml"); !driver) {
            check_errors(driver.error());
        }
    }
    // Both outcomes must occur, or the mutants test nothing.
    CHECK(loaded > mutants / 100);
    CHECK(loaded < mutants * 99 / 100);
}

TEST_CASE("mutated overrides are applied or refused under their own name") {
    const std::vector<std::string> corpus = read_corpus();
    Mutator mutator(corpus);
    const std::string text = "gensink: 1\nname: a\nsweep: {cross: {tx.burst: [1, 2]}}\n";
    for (std::size_t i = 0; i < mutants / 3; ++i) {
        const std::string mutant = mutator.next();
        profile::LoadOptions options;
        options.set = {mutant.substr(0, 40), "tx.ring=" + mutant.substr(mutant.size() / 2, 30)};
        options.ports = i % 3 == 0 ? mutant.substr(0, 25) : "";
        CAPTURE(i, options.set, options.ports);
        if (const auto profile = profile::load(text, "fuzz.yaml", options); !profile) {
            check_errors(profile.error());
        }
    }
}

TEST_CASE("hostile shapes are refused without delay") {
    const std::string many(200'000, 'a');
    const std::string texts[] = {
        std::string(250'000, '['),
        std::string(250'000, '{'),
        std::string(250'000, '-'),
        std::string(250'000, '\n'),
        std::string(250'000, ' ') + "a",
        "a: " + many,
        many + ": 1",
        "gensink: 1\nname: a\ntx: {burst: " + many + "}\n",
        "gensink: 1\nname: a\nsweep: {cross: {tx.burst: [" + std::string(100'000, ',') + "]}}\n",
    };
    for (const std::string& text : texts) {
        CAPTURE(text.substr(0, 20));
        const auto profile = profile::load(text, "fuzz.yaml");
        REQUIRE_FALSE(profile);
        check_errors(profile.error());
        for (const Error& error : profile.error()) {
            CHECK(error.message.size() + error.where.size() < 1000);
        }
    }
}
