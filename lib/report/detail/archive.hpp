// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/ids.hpp"
#include "base/units.hpp"
#include "counters/histogram.hpp"
#include "experiment/experiment.hpp"
#include "report/detail/names.hpp"
#include "trial/datapath.hpp"

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// One description of each struct's fields serves writing and reading, so they cannot drift apart.
/// `fields(archive, value)` names every field once; an archive is a JsonWriter or a JsonReader.
namespace gensink::report::detail {

using Json = nlohmann::ordered_json;
using Names = std::span<const char* const>;
using TextPairs = std::vector<std::pair<std::string, std::string>>;
using NamedValues = std::vector<std::pair<std::string, std::optional<double>>>;

template <class T, class Struct>
concept Of = std::same_as<std::remove_const_t<T>, Struct>;

template <class T>
inline constexpr bool is_id = false;
template <class Tag, class Rep>
inline constexpr bool is_id<Id<Tag, Rep>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

}  // namespace gensink::report::detail
