// SPDX-License-Identifier: BSD-3-Clause
#include "profile/driver_config.hpp"

#include "catch.hpp"
#include "support.hpp"

using namespace gensink;
using namespace gensink::profile;
using namespace gensink::profile::test;

namespace {

bool says(const std::string& message, const std::string& part) {
    INFO(message);
    CHECK(message.find(part) != std::string::npos);
    return message.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a misspelt key is placed and corrected") {
    CHECK(
        error_of(profile_text("tx:\n  brust: 4\n")) ==
        "p.yaml:4:3 (tx.brust): unknown key: did you mean `tx.burst`?"
    );
}

TEST_CASE("a key that is like none says where all are listed") {
    says(error_of(profile_text("bogus: 4\n")), "profiles/README.md");
    says(error_of(profile_text("sweep: {nonsense: 4}\n")), "there are cross");
    const auto driver = load_driver("driver: x\nsummary: y\nbogus: 1\n", "d.yaml");
    REQUIRE_FALSE(driver);
    says(driver.error().front().message, "drivers-config/README.md");
}

TEST_CASE("a key in the wrong section is found by its last part") {
    says(error_of(profile_text("burst: 4\n")), "did you mean `tx.burst`?");
    says(error_of(profile_text("wire: {mtu: 1500}\n")), "did you mean `traffic.mtu`?");
}

TEST_CASE("a misspelt section is corrected") {
    says(error_of(profile_text("trafic: {mtu: 1500}\n")), "did you mean `traffic`?");
    says(error_of(profile_text("arm: []\n")), "did you mean `arms`?");
}

TEST_CASE("all errors come at once, ordered by place") {
    const auto all = errors_of(
        "gensink: 1\nname: test\ntx:\n  burst: 1024\n  fill: never\ntraffic:\n  block_size: 64\n"
        "  load: 1 Mpps\nfoo: 1\n"
    );
    REQUIRE(all.size() == 5);
    says(all[0], "p.yaml:4:10 (tx.burst)");
    says(all[1], "p.yaml:5:9 (tx.fill)");
    says(all[2], "p.yaml:7:15 (traffic.block_size)");
    says(all[3], "p.yaml:8:9 (traffic.load)");
    says(all[4], "p.yaml:9:1 (foo)");
}

TEST_CASE("a key written twice is refused, at its second place") {
    CHECK(
        error_of(profile_text("tx: {burst: 4}\nrun:\n  measure: 1 s\n  measure: 2 s\n")) ==
        "p.yaml:6:3 (run.measure): written twice: keep one"
    );
    says(error_of(profile_text("tx: {burst: 4}\ntx: {queues: 1}\n")), "(tx): written twice");
}

TEST_CASE("the version and the name are required") {
    const auto all = errors_of("tx: {burst: 1}\n");
    REQUIRE(all.size() == 2);
    says(all[0], "begin the file with `gensink: 1`");
    says(all[1], "`name: ...`");
    says(error_of("gensink: 2\nname: a\n"), "1 to 1");
    says(error_of("gensink: 1\nname: ../etc\n"), "letters, digits");
}

TEST_CASE("a wrong type is named") {
    says(error_of(profile_text("tx: {burst: [1, 2]}\n")), "is a list; write a whole number");
    says(error_of(profile_text("tx: 4\n")), "is `4`, but holds keys");
    says(error_of(profile_text("tx: {burst: }\n")), "is nothing; write");
    says(error_of(profile_text("tx: {burst: {a: 1}}\n")), "is a map");
    says(error_of("- 1\n- 2\n"), "is a list, not a profile");
    says(error_of("just text\n"), "not a profile");
}

TEST_CASE("an empty section is no error") {
    CHECK(errors_of(profile_text("tx:\nrun:\n")).empty());
}

TEST_CASE("a dotted key outside set is explained") {
    says(error_of(profile_text("tx.burst: 1\n")), "write it as a map: `tx: {burst: ...}`");
}

TEST_CASE("broken YAML is placed") {
    const std::string error = error_of("gensink: 1\nname: [a\n");
    says(error, "p.yaml:");
    says(error, "YAML syntax");
    says(error_of("a: b: c\n"), "YAML syntax");
    says(error_of("\"unterminated"), "YAML syntax");
}

TEST_CASE("an empty file is said to be empty") {
    says(error_of(""), "is empty");
    says(error_of("# only a comment\n"), "is empty");
}

TEST_CASE("what is not text is refused where it begins") {
    says(error_of(std::string("gensink: 1\nname: \xff\xfe\n")), "p.yaml:2:7: byte 0xff: not UTF-8");
    says(error_of(std::string("gensink: 1\0name", 15)), "control character 0x00");
    says(error_of("gensink: 1\nname: \xc0\xaf\n"), "not UTF-8");      // overlong
    says(error_of("gensink: 1\nname: \xed\xa0\x80\n"), "not UTF-8");  // surrogate
    CHECK(errors_of("gensink: 1\nname: a\nsummary: Gr\xc3\xb6\xc3\x9f"
                    "e \xe2\x82\xac\n")
              .empty());
}

TEST_CASE("a file beyond the bound is refused by its size") {
    says(error_of(std::string(300 * 1024, '#')), "at most 262144");
}

TEST_CASE("aliases work, and cannot blow up") {
    CHECK(errors_of(profile_text("run: &a {measure: 1 s}\n")).empty());
    std::string bomb = "gensink: 1\nname: a\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 12; ++i) {
        const std::string before = std::to_string(i - 1);
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
        for (int j = 0; j < 10; ++j) {
            bomb += (j == 0 ? "*a" : ", *a") + before;
        }
        bomb += "]\n";
    }
    says(error_of(bomb), "more than 20000 values");
    says(error_of("gensink: 1\nname: a\nx: &x [*x]\n"), "inside its own anchor");
}

TEST_CASE("deep nesting is refused") {
    says(error_of(std::string(5000, '[')), "p.yaml");
    says(
        error_of(profile_text("x: " + std::string(100, '[') + std::string(100, ']') + "\n")),
        "deeper"
    );
}

TEST_CASE("tags and further documents are refused") {
    says(error_of(profile_text("summary: !!str a\n")), "tags are not used");
    says(error_of("gensink: 1\nname: a\n---\nb: 1\n"), "a second document");
}

TEST_CASE("a flood of errors is cut, and counted") {
    std::string text = profile_text();
    for (int i = 0; i < 500; ++i) {
        text += "k" + std::to_string(i) + ": 1\n";
    }
    const auto all = errors_of(text);
    CHECK(all.size() == 101);
    says(all.back(), "and 400 more errors");
}

TEST_CASE("an unknown metric is corrected") {
    says(error_of(profile_text("metrics: [rx.fbs]\n")), "did you mean `rx.fps`?");
    says(
        error_of(profile_text("expect:\n  - {metric: rx.pfs, equals: 1}\n")),
        "did you mean `rx.fps`?"
    );
}

TEST_CASE("--set goes through the same checks, under its own name") {
    CHECK(
        error_of(profile_text(), {{"tx.burst=abc"}, false, ""}) ==
        "--set tx.burst=abc: `abc` is not a whole number without a unit such as `32`"
    );
    says(error_of(profile_text(), {{"tx.brust=1"}, false, ""}), "did you mean `tx.burst`?");
    says(error_of(profile_text(), {{"tx.burst"}, false, ""}), "key=value");
    says(error_of(profile_text(), {{"gensink.x=1"}, false, ""}), "--set gensink.x=1");
}

TEST_CASE("--set replaces what the file says, and adds what it does not") {
    const auto profile = load(
        profile_text("tx: {burst: 4}\n"), "p.yaml", {{"tx.burst=8", "run.measure=2 s"}, false, ""}
    );
    REQUIRE(profile);
    CHECK(profile->common.get<std::uint64_t>("tx.burst") == 8);
    CHECK(profile->common.get<Duration>("run.measure") == Duration{2'000'000'000});
    CHECK(profile->common.at("tx.burst").origin == Origin::command_line);
    CHECK(profile->common.at("tx.queues").origin == Origin::fallback);
}

TEST_CASE("--set of the same key twice is refused") {
    says(
        error_of(profile_text(), {{"tx.burst=4", "tx.ring=64", "tx.burst=8"}, false, ""}),
        "--set tx.burst=8: given twice, first as `tx.burst=4`"
    );
    says(
        error_of(profile_text(), {{"wire.gen=net_null1"}, false, "net_null0,none"}),
        "first as `wire.gen=net_null0`"
    );
}

TEST_CASE("an unknown metric of a list is placed where it stands") {
    says(error_of(profile_text("metrics: [rx.fps, rx.pfs]\n")), "p.yaml:3:19 (metrics): ");
}

TEST_CASE("--set of a list is YAML") {
    const auto profile = load(
        profile_text(), "p.yaml", {{"metrics=[tx.fps, rx.fps]", "host.gen_cpus=[1]"}, false, ""}
    );
    REQUIRE(profile);
    CHECK(profile->common.find<Names>("metrics")->size() == 2);
    CHECK(profile->common.find<Cpus>("host.gen_cpus") == Cpus{1});
}

TEST_CASE("--set changes a sweep by its path") {
    const auto profile = load(
        profile_text("sweep: {cross: {tx.burst: [1, 2]}}\n"),
        "p.yaml",
        {{"sweep.cross.tx.burst=[4, 8, 16]"}, false, ""}
    );
    REQUIRE(profile);
    CHECK(profile->cells.size() == 3);
}

TEST_CASE("--set that a sweep or an arm would undo is refused") {
    says(
        error_of(profile_text("sweep: {cross: {tx.burst: [1, 2]}}\n"), {{"tx.burst=4"}, false, ""}),
        "--set sweep.cross.tx.burst=[...]"
    );
    says(
        error_of(
            profile_text("arms: [{name: a, set: {tx.burst: 1}}]\n"), {{"tx.burst=4"}, false, ""}
        ),
        "arm `a` sets `tx.burst` itself"
    );
}

TEST_CASE("--ports names both devices, with their arguments") {
    const auto plain = load(profile_text(), "p.yaml", {{}, false, "0000:01:00.0,0000:02:00.0"});
    REQUIRE(plain);
    CHECK(plain->common.get<std::string>("wire.kind") == "ports");
    CHECK(plain->common.find<std::string>("wire.gen") == "0000:01:00.0");
    CHECK(plain->common.find<std::string>("wire.sink") == "0000:02:00.0");
    const auto arguments =
        load(profile_text(), "p.yaml", {{}, false, "net_af_packet0,iface=a,qpairs=2,net_null0"});
    REQUIRE(arguments);
    CHECK(arguments->common.find<std::string>("wire.gen") == "net_af_packet0,iface=a,qpairs=2");
    CHECK(arguments->common.find<std::string>("wire.sink") == "net_null0");
    const auto none = load(profile_text(), "p.yaml", {{}, false, "net_null0,none"});
    REQUIRE(none);
    CHECK_FALSE(none->common.find<std::string>("wire.sink"));
    says(error_of(profile_text(), {{}, false, "net_null0"}), "--ports net_null0");
}

TEST_CASE("the digest tells texts and overrides apart") {
    const auto plain = load(profile_text(), "p.yaml");
    const auto again = load(profile_text(), "q.yaml");
    const auto set = load(profile_text(), "p.yaml", {{"tx.burst=8"}, false, ""});
    REQUIRE(plain);
    REQUIRE(again);
    REQUIRE(set);
    CHECK(plain->digest.size() == 16);
    CHECK(plain->digest == again->digest);
    CHECK(plain->digest != set->digest);
}

TEST_CASE("a file that cannot be read is named") {
    const auto missing = load_file("/nonexistent/p.yaml");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().front().where == "/nonexistent/p.yaml");
    CHECK_FALSE(load_file("/"));
}
