// SPDX-License-Identifier: BSD-3-Clause
#include "profile/driver_config.hpp"

#include "profile/detail/errors.hpp"
#include "profile/detail/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

namespace gensink::profile {

namespace {

using detail::Assignment;

constexpr std::string_view trust = "exact|approximate|absent";

constexpr KeySpec table[] = {
    {.path = "driver",
     .kind = Kind::text,
     .doc = "Name of the entry; wire.gen_driver may ask for it"},
    {.path = "summary", .kind = Kind::text, .doc = "What the driver is, in one sentence"},
    {.path = "match.devices",
     .kind = Kind::names,
     .fallback = "none",
     .doc = "EAL device names that begin so",
     .absent = "none"},
    {.path = "match.drivers",
     .kind = Kind::names,
     .fallback = "none",
     .doc = "Driver names, as a probed port reports them",
     .absent = "none"},
    {.path = "match.pci",
     .kind = Kind::names,
     .fallback = "none",
     .doc = "PCI vendor and device: 8086:100e",
     .absent = "none"},
    {.path = "frames.largest",
     .kind = Kind::bytes,
     .fallback = "1518 B",
     .doc = "Largest frame with FCS",
     .min = 64,
     .max = 9728},
    {.path = "descriptors.tx",
     .kind = Kind::count,
     .fallback = "1024",
     .doc = "Default of tx.ring",
     .min = 1,
     .max = 32768},
    {.path = "descriptors.rx",
     .kind = Kind::count,
     .fallback = "1024",
     .doc = "Default of sink.ring",
     .min = 1,
     .max = 32768},
    {.path = "descriptors.min",
     .kind = Kind::count,
     .fallback = "64",
     .doc = "Fewest descriptors",
     .min = 1,
     .max = 32768},
    {.path = "descriptors.max",
     .kind = Kind::count,
     .fallback = "4096",
     .doc = "Most descriptors",
     .min = 1,
     .max = 32768},
    {.path = "queues.max",
     .kind = Kind::count,
     .fallback = "1",
     .doc = "Most queues of each direction",
     .min = 1,
     .max = 1024},
    {.path = "counters.tx_frames",
     .kind = Kind::choice,
     .fallback = "approximate",
     .doc = "How far the device's count of sent frames can be trusted",
     .choices = trust},
    {.path = "counters.rx_frames",
     .kind = Kind::choice,
     .fallback = "approximate",
     .doc = "The same of received frames",
     .choices = trust},
    {.path = "counters.rx_missed",
     .kind = Kind::choice,
     .fallback = "absent",
     .doc = "The same of frames missed for want of a descriptor",
     .choices = trust},
    {.path = "counters.tx_errors",
     .kind = Kind::choice,
     .fallback = "absent",
     .doc = "The same of frames accepted and then not sent",
     .choices = trust},
    {.path = "doorbell",
     .kind = Kind::text,
     .fallback = "unknown",
     .doc = "How send calls become doorbells: per_call, chunk N, wakeup, none, unknown"},
    {.path = "loses_refused",
     .kind = Kind::boolean,
     .fallback = "false",
     .doc = "Accepts frames that it then drops itself"},
    {.path = "lossless",
     .kind = Kind::boolean,
     .fallback = "false",
     .doc = "Between two ports of this class no frame can be lost"},
    {.path = "needs_root",
     .kind = Kind::boolean,
     .fallback = "false",
     .doc = "Opening it needs root or a capability"},
    {.path = "settle",
     .kind = Kind::duration,
     .fallback = "0 s",
     .doc = "Wait after start before the first frame",
     .max = 600e9},
    {.path = "line_rate",
     .kind = Kind::bit_rate,
     .fallback = "none",
     .doc = "Rate of the link, where the class has one",
     .min = 1e3,
     .max = 1e13,
     .absent = "none"},
    {.path = "arguments.interface",
     .kind = Kind::text,
     .fallback = "none",
     .doc = "Device argument that names a kernel interface, which must exist",
     .absent = "none"},
    {.path = "arguments.new_interface",
     .kind = Kind::text,
     .fallback = "none",
     .doc = "Device argument that names the kernel interface which the driver makes",
     .absent = "none"},
    {.path = "arguments.queues",
     .kind = Kind::text,
     .fallback = "none",
     .doc = "Device argument that holds the number of queues",
     .absent = "none"},
    {.path = "arguments.ring",
     .kind = Kind::text,
     .fallback = "none",
     .doc = "Device argument that holds the descriptors of a queue",
     .absent = "none"},
    {.path = "arguments.ring_log2",
     .kind = Kind::text,
     .fallback = "none",
     .doc = "Device argument that holds their binary logarithm",
     .absent = "none"},
    {.path = "arguments.buffer",
     .kind = Kind::text,
     .fallback = "none",
     .doc = "Device argument that holds the bytes of a frame's buffer",
     .absent = "none"},
    {.path = "arguments.buffer_default",
     .kind = Kind::bytes,
     .fallback = "2048 B",
     .doc = "What that is when not given",
     .min = 64,
     .max = 65536},
    {.path = "arguments.gen",
     .kind = Kind::text,
     .fallback = "none",
     .doc = "Arguments of the generator's device, where none of them is written",
     .absent = "none"},
    {.path = "arguments.sink",
     .kind = Kind::text,
     .fallback = "none",
     .doc = "The same of the sink's; {socket} stands for a name of the run's own",
     .absent = "none"},
    {
        .path = "copies_sent",
        .kind = Kind::boolean,
        .fallback = "false",
        .doc = "The driver copies each frame that it sends",
    },
    {
        .path = "one_segment",
        .kind = Kind::boolean,
        .fallback = "false",
        .doc = "A frame that is sent must be one piece of memory",
    },
    {
        .path = "system_calls",
        .kind = Kind::boolean,
        .fallback = "false",
        .doc = "Sends or receives by system call: a long turn may be the kernel's work",
    },
    {
        .path = "small_buffers",
        .kind = Kind::boolean,
        .fallback = "false",
        .doc =
            "Receive buffers need not hold more than the largest frame (most devices want 2 KiB)",
    },
    {
        .path = "power_of_two_buffers",
        .kind = Kind::boolean,
        .fallback = "false",
        .doc = "Of a receive buffer, the device uses the largest power of two",
    },
    {
        .path = "pool_extra",
        .kind = Kind::count,
        .fallback = "0",
        .doc = "Buffers of each receive queue's pool that the driver keeps, or copies sent frames "
               "into",
        .min = 0,
        .max = 65536,
    },
    {
        .path = "keeps_buffers",
        .kind = Kind::boolean,
        .fallback = "false",
        .doc = "A stopped port keeps its receive buffers: it is removed after each trial",
    },
    {
        .path = "separate_workers",
        .kind = Kind::boolean,
        .fallback = "false",
        .doc = "Generator and sink need a process each",
    },
    {
        .path = "invents_frames",
        .kind = Kind::boolean,
        .fallback = "false",
        .doc = "It receives frames that nobody sent, so that it cannot be a sink",
    },
    {.path = "eal",
     .kind = Kind::names,
     .fallback = "none",
     .doc = "Further EAL arguments",
     .absent = "none"},
};

/// Values by path: what the file says, else the default.
class Values {
  public:
    explicit Values(const std::vector<Assignment>& assignments) {
        for (const KeySpec& spec : table) {
            values_.push_back(
                spec.fallback.empty() ? Value{} : parse_value(spec, spec.fallback).value_or(Value{})
            );
        }
        for (const Assignment& assignment : assignments) {
            values_[assignment.key] = assignment.setting.value;
        }
    }

    /// T{} where the value is "none".
    template <class T>
    [[nodiscard]] T get(std::string_view path) const {
        const T* value = std::get_if<T>(&values_[find_key(table, path).value_or(0)]);
        return value == nullptr ? T{} : *value;
    }

    template <class To>
    [[nodiscard]] To number(std::string_view path) const {
        return static_cast<To>(get<std::uint64_t>(path));
    }

  private:
    std::vector<Value> values_;
};

DriverConfig convert(const Values& values) {
    DriverConfig config;
    config.driver = values.get<std::string>("driver");
    config.summary = values.get<std::string>("summary");
    config.devices = values.get<Names>("match.devices");
    config.drivers = values.get<Names>("match.drivers");
    config.pci = values.get<Names>("match.pci");
    config.largest_frame_bytes = values.number<std::uint32_t>("frames.largest");
    config.tx_descriptors = values.number<std::uint16_t>("descriptors.tx");
    config.rx_descriptors = values.number<std::uint16_t>("descriptors.rx");
    config.min_descriptors = values.number<std::uint16_t>("descriptors.min");
    config.max_descriptors = values.number<std::uint16_t>("descriptors.max");
    config.max_queues = values.number<std::uint16_t>("queues.max");
    config.tx_frames = values.get<std::string>("counters.tx_frames");
    config.rx_frames = values.get<std::string>("counters.rx_frames");
    config.rx_missed = values.get<std::string>("counters.rx_missed");
    config.tx_errors = values.get<std::string>("counters.tx_errors");
    config.doorbell = values.get<std::string>("doorbell");
    config.loses_refused = values.get<bool>("loses_refused");
    config.lossless = values.get<bool>("lossless");
    config.needs_root = values.get<bool>("needs_root");
    config.settle = values.get<Duration>("settle");
    if (const auto rate = values.get<double>("line_rate"); rate > 0) {
        config.line_bps = static_cast<std::uint64_t>(rate);
    }
    config.arguments.interface = values.get<std::string>("arguments.interface");
    config.arguments.new_interface = values.get<std::string>("arguments.new_interface");
    config.arguments.queues = values.get<std::string>("arguments.queues");
    config.arguments.ring = values.get<std::string>("arguments.ring");
    config.arguments.ring_log2 = values.get<std::string>("arguments.ring_log2");
    config.arguments.buffer = values.get<std::string>("arguments.buffer");
    config.arguments.buffer_bytes = values.number<std::uint32_t>("arguments.buffer_default");
    config.arguments.gen = values.get<std::string>("arguments.gen");
    config.arguments.sink = values.get<std::string>("arguments.sink");
    config.copies_sent = values.get<bool>("copies_sent");
    config.one_segment = values.get<bool>("one_segment");
    config.system_calls = values.get<bool>("system_calls");
    config.small_buffers = values.get<bool>("small_buffers");
    config.power_of_two_buffers = values.get<bool>("power_of_two_buffers");
    config.pool_extra = values.number<std::uint32_t>("pool_extra");
    config.keeps_buffers = values.get<bool>("keeps_buffers");
    config.separate_workers = values.get<bool>("separate_workers");
    config.invents_frames = values.get<bool>("invents_frames");
    config.eal = values.get<Names>("eal");
    return config;
}

void check(const DriverConfig& config, detail::Errors& errors) {
    const auto within = [&](std::uint16_t descriptors) {
        return descriptors >= config.min_descriptors && descriptors <= config.max_descriptors;
    };
    if (!within(config.tx_descriptors) || !within(config.rx_descriptors)) {
        errors.add({}, "descriptors", "the defaults are not between min and max");
    }
    const std::string_view doorbell = config.doorbell;
    if (doorbell != "per_call" && doorbell != "wakeup" && doorbell != "none" &&
        doorbell != "unknown" && !doorbell.starts_with("chunk ")) {
        errors.add({}, "doorbell", "is one of per_call, chunk N, wakeup, none, unknown");
    }
}

}  // namespace

std::span<const KeySpec> driver_keys() {
    return table;
}

Results<DriverConfig> load_driver(std::string_view text, std::string_view file) {
    const auto root = detail::parse_yaml(text, file);
    if (!root) {
        return tl::unexpected(std::vector{root.error()});
    }
    detail::Errors errors(file, {});
    if (root->type != detail::YamlNode::Type::map) {
        errors.add(root->mark, "", "is not a map of keys");
        return tl::unexpected(errors.take());
    }
    const std::vector<Assignment> assignments = detail::read_keys(*root, table, errors);
    for (const std::string_view needed : {"driver", "summary"}) {
        const bool there = std::ranges::any_of(assignments, [&](const Assignment& assignment) {
            return table[assignment.key].path == needed;
        });
        if (!there && errors.empty()) {
            errors.add({}, needed, "missing");
        }
    }
    DriverConfig config = convert(Values(assignments));
    check(config, errors);
    if (!errors.empty()) {
        return tl::unexpected(errors.take());
    }
    return config;
}

Results<std::vector<DriverConfig>> load_drivers(const std::filesystem::path& folder) {
    std::error_code code;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
        if (entry.path().extension() == ".yaml") {
            files.push_back(entry.path());
        }
    }
    std::vector<Error> errors;
    if (code || files.empty()) {
        errors.push_back(
            {ErrorKind::environment, "holds no drivers-config file", folder.string(), code.value()}
        );
    }
    std::ranges::sort(files);
    std::vector<DriverConfig> all;
    for (const std::filesystem::path& file : files) {
        std::ifstream stream(file, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(stream), {}};
        if (auto config = load_driver(text, file.string())) {
            all.push_back(std::move(*config));
        } else {
            errors.insert(errors.end(), config.error().begin(), config.error().end());
        }
    }
    if (!errors.empty()) {
        return tl::unexpected(errors);
    }
    return all;
}

}  // namespace gensink::profile
