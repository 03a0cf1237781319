// SPDX-License-Identifier: BSD-3-Clause
#include "host/detail/text.hpp"

#include "catch.hpp"
#include "tree.hpp"

using namespace gensink::host;

TEST_CASE("a kernel list expands its ranges and leaves out what is malformed") {
    CHECK(detail::parse_list("0-2,8,10-11") == std::vector<unsigned>{0, 1, 2, 8, 10, 11});
    CHECK(detail::parse_list("").empty());
    CHECK(detail::parse_list("4").front() == 4);
    CHECK(detail::parse_list("x,3") == std::vector<unsigned>{3});
}

TEST_CASE("a field is found by its whole key, whatever white space is around") {
    const std::string text = "Uids:\t1\nUid:\t 7 8\nmodel name\t: Test CPU: 2";
    CHECK(detail::field(text, "Uid") == "7 8");
    CHECK(detail::field(text, "model name") == "Test CPU: 2");
    CHECK_FALSE(detail::field(text, "Gid"));
}

TEST_CASE("numbers of files are read in decimal and hexadecimal, and -1 is kept") {
    Tree tree;
    tree.file("a", "0x8086").file("b", "42").file("c", "-1").file("d", "none");
    CHECK(detail::read_number(tree.root() / "a") == 0x8086u);
    CHECK(detail::read_number(tree.root() / "b") == 42u);
    CHECK(detail::read_signed(tree.root() / "c") == -1);
    CHECK_FALSE(detail::read_number(tree.root() / "d"));
    CHECK_FALSE(detail::read_number(tree.root() / "missing"));
}

TEST_CASE("a file that opens but refuses to be read is absent") {
    Tree tree;
    CHECK_FALSE(detail::read_text(tree.root()));  // a folder: read() fails, as some of sysfs does
}
