// SPDX-License-Identifier: Apache-2.0
// The writer of result files. docs/results.md defines every field.
#pragma once

#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>

#include "benches/row.hpp"

namespace gk::benches {

nlohmann::ordered_json row_json(const Row& row);
// The same fields for a case that is only listed.
nlohmann::ordered_json listed_json(const Case& problem, Cache cache);

// Writes the document piece by piece, so that a killed run leaves whole rows behind.
class DocumentWriter {
 public:
  explicit DocumentWriter(std::ostream& out) : out_(&out) {}
  void begin(const nlohmann::ordered_json& context);
  void add(const nlohmann::ordered_json& row);
  void end(bool complete);

 private:
  std::ostream* out_;
  bool first_ = true;
};

// FILE.partial while the run goes on; renamed to FILE by finish().
class ResultFile {
 public:
  // Makes the folders and opens FILE.partial. Throws InputError naming the path and the reason.
  explicit ResultFile(const std::string& path);
  ~ResultFile();
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  void begin(const nlohmann::ordered_json& context);
  void add(const nlohmann::ordered_json& row);
  void finish(bool complete);

 private:
  void check(const char* doing);

  std::string path_, partial_;
  int lock_ = -1;  // descriptor of the partial file: two runs must not write one file
  std::ofstream file_;
  DocumentWriter writer_;
};

}  // namespace gk::benches
