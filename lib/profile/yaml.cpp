// SPDX-License-Identifier: BSD-3-Clause
#include "profile/detail/node.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

namespace gensink::profile::detail {

namespace {

constexpr std::size_t max_depth = 32;

/// Stops the parse from inside yaml-cpp's callbacks; never leaves this file.
struct Refusal {
    Mark mark;
    std::string message;
};

Mark to_mark(const YAML::Mark& mark) {
    // YAML::Mark::null_mark() counts from -1.
    return {std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1, -1};
}

/// Builds the tree from yaml-cpp's events. Unlike YAML::Node it keeps duplicate keys, and bounds
/// what aliases may expand to.
class TreeBuilder : public YAML::EventHandler {
  public:
    YamlNode take() { return std::move(root_); }

    [[nodiscard]] bool has_document() const { return has_document_; }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (has_document_) {
            throw Refusal{to_mark(mark), "a second document: one profile a file"};
        }
        has_document_ = true;
    }

    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        YamlNode node;
        node.mark = to_mark(mark);
        add(std::move(node), anchor);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchors_.find(anchor);
        if (found == anchors_.end()) {
            throw Refusal{to_mark(mark), "an alias inside its own anchor"};
        }
        count(found->second.nodes, to_mark(mark));
        YamlNode copy = found->second.node;
        copy.mark = to_mark(mark);
        place(std::move(copy));
    }

    void OnScalar(
        const YAML::Mark& mark,
        const std::string& tag,
        YAML::anchor_t anchor,
        const std::string& value
    ) override {
        refuse_tag(mark, tag);
        YamlNode node;
        node.mark = to_mark(mark);
        node.type = YamlNode::Type::scalar;
        node.scalar = value;
        add(std::move(node), anchor);
    }

    void OnSequenceStart(
        const YAML::Mark& mark,
        const std::string& tag,
        YAML::anchor_t anchor,
        YAML::EmitterStyle::value /*style*/
    ) override {
        open(mark, tag, anchor, YamlNode::Type::sequence);
    }

    void OnSequenceEnd() override { close(); }

    void OnMapStart(
        const YAML::Mark& mark,
        const std::string& tag,
        YAML::anchor_t anchor,
        YAML::EmitterStyle::value /*style*/
    ) override {
        open(mark, tag, anchor, YamlNode::Type::map);
    }

    void OnMapEnd() override { close(); }

  private:
    struct Open {
        YamlNode node;
        YAML::anchor_t anchor = 0;
        std::size_t nodes_before = 0;
    };

    struct Anchored {
        YamlNode node;
        std::size_t nodes = 1;
    };

    static void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
        // "?" is a plain scalar or collection, "!" a quoted scalar.
        if (!tag.empty() && tag != "?" && tag != "!") {
            throw Refusal{to_mark(mark), fmt::format("tag `{}`: tags are not used here", tag)};
        }
    }

    void count(std::size_t nodes, const Mark& mark) {
        nodes_ += nodes;
        if (nodes_ > max_nodes) {
            throw Refusal{mark, fmt::format("holds more than {} values", max_nodes)};
        }
    }

    void add(YamlNode node, YAML::anchor_t anchor) {
        count(1, node.mark);
        if (anchor != 0) {
            anchors_[anchor] = {node, 1};
        }
        place(std::move(node));
    }

    void open(
        const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode::Type type
    ) {
        refuse_tag(mark, tag);
        if (stack_.size() >= max_depth) {
            throw Refusal{to_mark(mark), fmt::format("nested deeper than {} levels", max_depth)};
        }
        Open entry;
        entry.node.mark = to_mark(mark);
        entry.node.type = type;
        entry.anchor = anchor;
        entry.nodes_before = nodes_;
        count(1, entry.node.mark);
        stack_.push_back(std::move(entry));
    }

    void close() {
        Open entry = std::move(stack_.back());
        stack_.pop_back();
        if (entry.anchor != 0) {
            const std::size_t nodes = nodes_ - entry.nodes_before;
            count(nodes, entry.node.mark);  // the copy kept for aliases costs as much
            anchors_[entry.anchor] = {entry.node, nodes};
        }
        place(std::move(entry.node));
    }

    void place(YamlNode node) {
        if (stack_.empty()) {
            root_ = std::move(node);
            return;
        }
        YamlNode& parent = stack_.back().node;
        if (parent.type == YamlNode::Type::map && parent.keys.size() == parent.items.size()) {
            if (node.type != YamlNode::Type::scalar) {
                throw Refusal{node.mark, fmt::format("{} cannot be a key", describe(node))};
            }
            parent.keys.push_back(std::move(node));
            return;
        }
        parent.items.push_back(std::move(node));
    }

    YamlNode root_;
    bool has_document_ = false;
    std::size_t nodes_ = 0;
    std::vector<Open> stack_;
    std::map<YAML::anchor_t, Anchored> anchors_;
};

/// Least and greatest second byte of a character, by its lead byte: no overlong form, surrogate or
/// character beyond U+10FFFF (RFC 3629 section 4).
std::pair<unsigned, unsigned> second_byte_range(unsigned lead) {
    switch (lead) {
    case 0xe0:
        return {0xa0, 0xbf};
    case 0xed:
        return {0x80, 0x9f};
    case 0xf0:
        return {0x90, 0xbf};
    case 0xf4:
        return {0x80, 0x8f};
    default:
        return {0x80, 0xbf};
    }
}

/// Length of the valid UTF-8 character at the front, or 0.
std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return static_cast<unsigned>(static_cast<unsigned char>(text[i]));
    };
    const unsigned lead = byte(0);
    if (lead < 0x80) {
        return 1;
    }
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < length) {
        return 0;
    }
    const auto [least, greatest] = second_byte_range(lead);
    bool valid = byte(1) >= least && byte(1) <= greatest;
    for (std::size_t i = 2; i < length; ++i) {
        valid = valid && (byte(i) & 0xc0U) == 0x80;
    }
    return valid ? length : 0;
}

/// What no text file holds: bad UTF-8, control characters.
std::optional<Refusal> find_binary(std::string_view text) {
    Mark mark;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = character_length(text.substr(i));
        const auto lead = static_cast<unsigned char>(text[i]);
        if (length == 0) {
            return Refusal{mark, fmt::format("byte 0x{:02x}: not UTF-8 text", lead)};
        }
        if ((lead < 0x20 && lead != '\n' && lead != '\r' && lead != '\t') || lead == 0x7f) {
            return Refusal{mark, fmt::format("control character 0x{:02x}: not a text file", lead)};
        }
        mark.column += static_cast<int>(length);
        if (lead == '\n') {
            mark = {mark.line + 1, 1, -1};
        }
        i += length;
    }
    return std::nullopt;
}

tl::unexpected<Error> refuse(std::string_view file, const Refusal& refusal) {
    return fail(
        ErrorKind::profile,
        refusal.message,
        fmt::format("{}:{}:{}", file, refusal.mark.line, refusal.mark.column)
    );
}

}  // namespace

Result<YamlNode> parse_yaml(std::string_view text, std::string_view file) {
    if (text.size() > max_document_bytes) {
        return fail(
            ErrorKind::profile,
            fmt::format("is {} bytes long; at most {} are read", text.size(), max_document_bytes),
            std::string(file)
        );
    }
    if (const auto binary = find_binary(text)) {
        return refuse(file, *binary);
    }
    try {
        std::istringstream stream{std::string(text)};
        YAML::Parser parser(stream);
        TreeBuilder builder;
        while (parser.HandleNextDocument(builder)) {
        }
        if (!builder.has_document()) {
            return refuse(file, {{}, "is empty"});
        }
        return builder.take();
    } catch (const Refusal& refusal) {
        return refuse(file, refusal);
    } catch (const YAML::Exception& error) {
        return refuse(file, {to_mark(error.mark), fmt::format("YAML syntax: {}", error.msg)});
    } catch (const std::exception& error) {
        return refuse(file, {{}, fmt::format("YAML cannot be read: {}", error.what())});
    }
}

std::string describe(const YamlNode& node) {
    switch (node.type) {
    case YamlNode::Type::null:
        return "nothing";
    case YamlNode::Type::sequence:
        return "a list";
    case YamlNode::Type::map:
        return "a map";
    case YamlNode::Type::scalar:
        break;
    }
    return node.scalar.size() > 60 ? fmt::format("`{}...`", node.scalar.substr(0, 57))
                                   : fmt::format("`{}`", node.scalar);
}

}  // namespace gensink::profile::detail
