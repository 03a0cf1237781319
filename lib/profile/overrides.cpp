// SPDX-License-Identifier: BSD-3-Clause
#include "profile/detail/overrides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

namespace gensink::profile::detail {

namespace {

/// What stands for the kernel's sockets in place of a device.
constexpr std::string_view sockets = "kernel";

/// Path of a `--set` as the tree nests it: "sweep.cross.tx.burst" is sweep, cross, "tx.burst".
std::vector<std::string> split_path(std::string_view path) {
    std::vector<std::string> parts;
    while (!path.empty()) {
        const bool last = parts.size() == 2 && parts.front() == "sweep";
        const std::size_t dot = last ? path.size() : std::min(path.find('.'), path.size());
        parts.emplace_back(path.substr(0, dot));
        path.remove_prefix(std::min(dot + 1, path.size()));
    }
    return parts;
}

/// The key that a `--set` names; all of a text without a key.
std::string path_of(const std::string& text) {
    return text.substr(0, text.find('='));
}

void mark_all(YamlNode& node, const Mark& mark) {
    node.mark = mark;
    for (YamlNode& key : node.keys) {
        key.mark = mark;
    }
    for (YamlNode& item : node.items) {
        mark_all(item, mark);
    }
}

/// The value of a key in a map, made if missing.
YamlNode& child(YamlNode& map, const std::string& key, const Mark& mark) {
    map.type = YamlNode::Type::map;
    for (std::size_t i = 0; i < map.keys.size(); ++i) {
        if (map.keys[i].scalar == key) {
            return map.items[i];
        }
    }
    YamlNode name;
    name.type = YamlNode::Type::scalar;
    name.scalar = key;
    name.mark = mark;
    map.keys.push_back(std::move(name));
    YamlNode value;
    value.mark = mark;
    map.items.push_back(std::move(value));
    return map.items.back();
}

/// A list or map is parsed as YAML; any other text stands as it is, so that `name=a: b` is text.
Result<YamlNode> parse_override(const std::string& value) {
    if (value.starts_with('[') || value.starts_with('{')) {
        return parse_yaml(value, "--set");
    }
    YamlNode node;
    node.type = YamlNode::Type::scalar;
    node.scalar = value;
    return node;
}

void apply(YamlNode& root, const std::string& text, int index, Errors& errors) {
    const Mark mark{1, 1, index};
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        errors.add(mark, "", "write --set key=value, as in --set tx.burst=64");
        return;
    }
    const auto value = parse_override(text.substr(equals + 1));
    if (!value) {
        errors.add(mark, "", value.error().message);
        return;
    }
    YamlNode* node = &root;
    for (const std::string& part : split_path(text.substr(0, equals))) {
        if (node->type != YamlNode::Type::map && node->type != YamlNode::Type::null) {
            errors.add(mark, "", fmt::format("`{}` is below a key that holds a value", part));
            return;
        }
        node = &child(*node, part, mark);
    }
    *node = *value;
    mark_all(*node, mark);
}

}  // namespace

Result<std::pair<std::string, std::string>> split_ports(const std::string& ports) {
    std::vector<std::string> devices;
    std::string_view rest = ports;
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::string part(rest.substr(0, comma));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        // What has a `=` is an argument of the device before it.
        if (!devices.empty() && part.find('=') != std::string::npos) {
            devices.back() += "," + part;
        } else {
            devices.push_back(part);
        }
    }
    if (devices.size() != 2 || devices[0].empty() || devices[1].empty()) {
        return fail(
            ErrorKind::usage,
            "names the generator's and the sink's device, as in --ports 0000:01:00.0,0000:02:00.0 "
            "or --ports net_null0,none",
            fmt::format("--ports {}", ports)
        );
    }
    return std::pair(devices[0], devices[1]);
}

Results<std::vector<std::string>> all_overrides(const LoadOptions& options) {
    std::vector<std::string> all;
    if (!options.ports.empty()) {
        const auto devices = split_ports(options.ports);
        if (!devices) {
            return tl::unexpected(std::vector{devices.error()});
        }
        const auto& [gen, sink] = *devices;
        if (gen == sockets || sink == sockets) {
            all = {"wire.kind=kernel"};
            all.push_back("wire.gen=" + (gen == sockets ? "none" : gen));
            all.push_back("wire.sink=" + (sink == sockets ? "none" : sink));
        } else {
            all = {"wire.kind=ports", "wire.gen=" + gen, "wire.sink=" + sink};
        }
    }
    all.insert(all.end(), options.set.begin(), options.set.end());
    return all;
}

void apply_overrides(YamlNode& root, const std::vector<std::string>& overrides, Errors& errors) {
    std::map<std::string, std::size_t> given;
    for (std::size_t i = 0; i < overrides.size(); ++i) {
        const auto [first, fresh] = given.emplace(path_of(overrides[i]), i);
        if (!fresh) {
            errors.add(
                {1, 1, static_cast<int>(i)},
                "",
                fmt::format("given twice, first as `{}`: keep one", overrides[first->second])
            );
            continue;
        }
        apply(root, overrides[i], static_cast<int>(i), errors);
    }
}

}  // namespace gensink::profile::detail
