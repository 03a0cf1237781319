// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <fstream>
#include <stdlib.h>
#include <string>

/// A copy of parts of /proc and /sys in a temporary folder, gone when the test ends.
class Tree {
  public:
    Tree() {
        std::string pattern = (std::filesystem::temp_directory_path() / "gensink-XXXXXX").string();
        root_ = mkdtemp(pattern.data());
    }

    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;

    ~Tree() { std::filesystem::remove_all(root_); }

    Tree& file(const std::string& path, const std::string& text) {
        std::filesystem::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << text << '\n';
        return *this;
    }

    /// A link to another path of the tree; its folder is made.
    Tree& link(const std::string& path, const std::string& target) {
        std::filesystem::create_directories((root_ / path).parent_path());
        std::filesystem::create_directories(root_ / target);
        std::filesystem::create_symlink(root_ / target, root_ / path);
        return *this;
    }

    [[nodiscard]] const std::filesystem::path& root() const { return root_; }

  private:
    std::filesystem::path root_;
};

/// A host with CPUs `cpus` (a kernel list) on one node, ready to be refined.
inline void one_node(Tree& tree, const std::string& cpus) {
    tree.file(
            "proc/self/status",
            "Name:\ttest\nUid:\t1000\t1000\t1000\t1000\nCpus_allowed_list:\t" + cpus
    )
        .file(
            "proc/cpuinfo", "processor\t: 0\nmodel name\t: Test CPU @ 2.00GHz\nflags\t\t: fpu tsc"
        )
        .file("sys/devices/system/cpu/online", cpus)
        .file("sys/devices/system/cpu/isolated", "")
        .file("sys/devices/system/node/node0/cpulist", cpus);
}
