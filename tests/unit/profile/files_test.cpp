// SPDX-License-Identifier: BSD-3-Clause
#include "profile/driver_config.hpp"
#include "profile/schema.hpp"

#include <algorithm>
#include <filesystem>

#include "catch.hpp"
#include "support.hpp"

using namespace gensink;
using namespace gensink::profile;
using namespace gensink::profile::test;

namespace {

std::vector<std::filesystem::path> yaml_files(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".yaml") {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

/// Lines that are YAML: neither comment nor blank.
std::size_t yaml_lines(const std::string& text) {
    std::size_t lines = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::size_t first = text.find_first_not_of(" \t", at);
        if (first < end && text[first] != '#') {
            ++lines;
        }
        at = end + 1;
    }
    return lines;
}

void check_folder(const std::filesystem::path& folder, std::size_t at_least) {
    const auto files = yaml_files(folder);
    CHECK(files.size() >= at_least);
    for (const auto& file : files) {
        INFO(file.string());
        const auto profile = load_file(file);
        if (!profile) {
            for (const Error& error : profile.error()) {
                UNSCOPED_INFO(error.where << ": " << error.message);
            }
        }
        CHECK(profile);
        CHECK(yaml_lines(read(file)) <= 30);
    }
}

}  // namespace

TEST_CASE("bundled profiles load and are at most 30 lines") {
    check_folder(source_root() / "profiles", 4);
}

TEST_CASE("bundled profiles are named after their files") {
    for (const auto& file : yaml_files(source_root() / "profiles")) {
        const auto profile = load_file(file);
        REQUIRE(profile);
        CHECK(profile->common.get<std::string>("name") == file.stem().string());
    }
}

TEST_CASE("the published experiments can be written in at most 30 lines") {
    check_folder(source_root() / "tests/unit/profile/examples", 3);
}

TEST_CASE("the reference in profiles/README.md is the table of keys") {
    const std::string readme = read(source_root() / "profiles/README.md");
    // To bring it up to date: gensink schema reference
    CHECK(readme.find(reference()) != std::string::npos);
}

TEST_CASE("the schema holds every key, and balances") {
    const std::string text = schema();
    for (const KeySpec& spec : keys()) {
        INFO(spec.path);
        CHECK(
            text.find("\"" + std::string(spec.path) + "\": {\"description\"") != std::string::npos
        );
        CHECK(text.find("#/$defs/" + std::string(spec.path) + "\"") != std::string::npos);
    }
    CHECK(std::ranges::count(text, '{') - std::ranges::count(text, '}') == 0);
}

TEST_CASE("drivers-config loads, with an entry for unknown devices") {
    const auto drivers = load_drivers(source_root() / "drivers-config");
    if (!drivers) {
        for (const Error& error : drivers.error()) {
            UNSCOPED_INFO(error.where << ": " << error.message);
        }
    }
    REQUIRE(drivers);
    for (const char* name : {"ring", "null", "memif", "af_packet", "tap", "pcap", "default"}) {
        INFO(name);
        CHECK(std::ranges::any_of(*drivers, [&](const DriverConfig& config) {
            return config.driver == name;
        }));
    }
}

TEST_CASE("a driver's file is as strict as a profile") {
    const auto where = [](const std::string& text) {
        const auto config = load_driver(text, "d.yaml");
        REQUIRE_FALSE(config);
        return config.error().front().where + ": " + config.error().front().message;
    };
    const std::string head = "driver: a\nsummary: b\n";
    CHECK(where(head + "frames: {bigest: 64 B}\n").find("d.yaml:3:10 (frames.bigest)") == 0);
    CHECK(where(head + "queus: {max: 1}\n").find("did you mean `queues`?") != std::string::npos);
    CHECK(where(head + "doorbell: sometimes\n").find("per_call") != std::string::npos);
    CHECK(where(head + "descriptors: {tx: 16}\n").find("between min and max") != std::string::npos);
    CHECK(where("driver: a\n").find("summary") != std::string::npos);
}

TEST_CASE("a folder without drivers is an error of the environment") {
    const auto drivers = load_drivers("/nonexistent");
    REQUIRE_FALSE(drivers);
    CHECK(drivers.error().front().kind == ErrorKind::environment);
}
