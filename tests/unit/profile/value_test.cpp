// SPDX-License-Identifier: BSD-3-Clause
#include "profile/settings.hpp"
#include "profile/suggest.hpp"
#include "profile/value.hpp"

#include "catch.hpp"

using namespace gensink;
using namespace gensink::profile;

namespace {

Value parsed(std::string_view path, std::string_view text) {
    const auto value = parse_value(keys()[find_key(path).value()], text);
    INFO(path << ": " << text << ": " << (value ? "" : value.error()));
    REQUIRE(value);
    return *value;
}

std::string refused(std::string_view path, std::string_view text) {
    const auto value = parse_value(keys()[find_key(path).value()], text);
    INFO(path << ": " << text);
    REQUIRE_FALSE(value);
    return value.error();
}

bool says(const std::string& message, const std::string& part) {
    return message.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("every default of the table parses and is in range") {
    for (const KeySpec& spec : keys()) {
        if (spec.fallback.empty()) {
            continue;
        }
        const auto value = parse_value(spec, spec.fallback);
        INFO(spec.path << ": " << (value ? "" : value.error()));
        CHECK(value);
    }
}

TEST_CASE("every key is declared once and has a text") {
    for (std::size_t i = 0; i < keys().size(); ++i) {
        INFO(keys()[i].path);
        CHECK(find_key(keys()[i].path) == i);
        CHECK_FALSE(keys()[i].doc.empty());
        CHECK((keys()[i].kind != Kind::choice || !keys()[i].choices.empty()));
    }
}

TEST_CASE("sizes are binary or decimal as written") {
    CHECK(same(parsed("window.limit", "64 KiB"), Value{std::uint64_t{65536}}));
    CHECK(same(parsed("window.limit", "64 kB"), Value{std::uint64_t{64000}}));
    CHECK(same(parsed("traffic.block_size", "128B"), Value{std::uint64_t{128}}));
    CHECK(same(parsed("traffic.block_size", "1.5 KiB"), Value{std::uint64_t{1536}}));
    CHECK(same(parsed("traffic.block_size", "auto"), Value{}));
}

TEST_CASE("KB is ambiguous and refused with both readings") {
    const std::string message = refused("traffic.block_size", "64 KB");
    CHECK(says(message, "kB (1000 B)"));
    CHECK(says(message, "KiB (1024 B)"));
}

TEST_CASE("a measure without a unit is refused with an example") {
    CHECK(says(refused("traffic.block_size", "128"), "64 KiB"));
    CHECK(says(refused("run.measure", "1"), "44 ms"));
    CHECK(says(refused("validity.clock", "0.01"), "2 %"));
}

TEST_CASE("a unit of another kind is refused") {
    CHECK(says(refused("run.measure", "64 KiB"), "does not fit"));
    CHECK(says(refused("tx.burst", "32 B"), "no unit"));
    CHECK(says(refused("wire.line_rate", "1 Gbps"), "Gbit/s"));
}

TEST_CASE("durations are whole nanoseconds") {
    CHECK(same(parsed("path.rtt", "309.6 ms"), Value{Duration{309'600'000}}));
    CHECK(same(parsed("run.measure", "2 min"), Value{Duration{120'000'000'000}}));
    CHECK(says(refused("path.rtt", "0.5 ns"), "whole"));
}

TEST_CASE("loads say their layer") {
    using flow::LoadUnit;
    CHECK(same(parsed("traffic.load", "max"), Value{flow::Load{}}));
    CHECK(same(parsed("traffic.load", "1.2 Mfps"), Value{flow::Load{LoadUnit::fps, 1.2e6}}));
    CHECK(same(parsed("traffic.load", "500 Mbit/s l2"), Value{flow::Load{LoadUnit::bps_l2, 5e8}}));
    CHECK(same(
        parsed("traffic.load", "1 Gbit/s payload"), Value{flow::Load{LoadUnit::bps_payload, 1e9}}
    ));
    CHECK(same(parsed("traffic.load", "80 %"), Value{flow::Load{LoadUnit::line_ratio, 0.8}}));
    CHECK(says(refused("traffic.load", "500 Mbit/s"), "which layer"));
    CHECK(says(refused("traffic.load", "101 %"), "more than the line"));
    CHECK(says(refused("traffic.load", "0 fps"), "above 0"));
    CHECK(says(refused("traffic.load", "1 Mpps"), "Mfps"));
}

TEST_CASE("a value out of range is refused with the range") {
    CHECK(says(refused("tx.burst", "513"), "1 to 512"));
    CHECK(says(refused("tx.burst", "0"), "1 to 512"));
    CHECK(says(refused("traffic.frame_size", "63 B"), "64 B to 9728 B"));
}

TEST_CASE("numbers are plain decimals") {
    for (const char* text :
         {"1e3", "0x10", "inf", "nan", "-1", "+1", "1.", ".5", "1.2.3", "1,5", ""}) {
        INFO(text);
        CHECK_FALSE(parse_value(keys()[find_key("tx.burst").value()], text));
    }
    CHECK(says(refused("tx.burst", "1.5"), "whole"));
}

TEST_CASE("a margin may carry its sign") {
    CHECK(same(parsed("compare.margin", "+-2.5 %"), parsed("compare.margin", "2.5 %")));
}

TEST_CASE("addresses are complete or refused") {
    CHECK(same(parsed("traffic.source_ip", "198.18.0.9"), Value{Ipv4Address{198, 18, 0, 9}}));
    CHECK(same(
        parsed("traffic.source_mac", "02:00:00:00:00:ff"), Value{MacAddress{2, 0, 0, 0, 0, 255}}
    ));
    for (const char* text : {"198.18.0", "198.18.0.1.2", "198.18.0.256", "198.18..1", "a.b.c.d"}) {
        refused("traffic.source_ip", text);
    }
    for (const char* text :
         {"02:00:00:00:00", "02:00:00:00:00:00:00", "02:00:00:00:00:1ff", "xx"}) {
        refused("traffic.source_mac", text);
    }
}

TEST_CASE("CPU lists take ranges and refuse repetition") {
    CHECK(same(parsed("host.gen_cpus", "2-4,8"), Value{Cpus{2, 3, 4, 8}}));
    CHECK(says(refused("host.gen_cpus", "2-4,3"), "twice"));
    refused("host.gen_cpus", "4-2");
    refused("host.gen_cpus", "1,,2");
    refused("host.gen_cpus", "0-4000000000");
}

TEST_CASE("a wrong choice names the near one") {
    CHECK(says(refused("tx.fill", "ful"), "did you mean `full`?"));
    CHECK(says(refused("traffic.frame_mode", "coalesced"), "did you mean `coalesce`?"));
}

TEST_CASE("limits of the modelled ring are frames or bytes") {
    CHECK(same(parsed("model.sink_ring", "64 frames"), Value{Amount{true, 64}}));
    CHECK(same(parsed("model.sink_ring", "8 KiB"), Value{Amount{false, 8192}}));
    refused("model.sink_ring", "64");
}

TEST_CASE("edit distance counts a swap as one") {
    CHECK(edit_distance("brust", "burst") == 1);
    CHECK(edit_distance("burst", "burst") == 0);
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("kitten", "sitting") == 3);  // Wagner and Fischer's usual example
}

TEST_CASE("bounds are written as a profile would") {
    CHECK(write_number(Kind::bytes, 65536) == "64 KiB");
    CHECK(write_number(Kind::bytes, 1518) == "1518 B");
    CHECK(write_number(Kind::duration, 44e6) == "44 ms");
    CHECK(write_number(Kind::ratio, 0.02) == "2 %");
    CHECK(write_number(Kind::count, 512) == "512");
}
