// SPDX-License-Identifier: Apache-2.0
// Fat binaries built here by hand, byte by byte: the right ones are read, the damaged ones refused.
#include "emulator/ptx/fatbin.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace gk::emulator {
namespace {

constexpr std::uint64_t kArchSpecific = 0x100000, kZstd = 0x8000;

class Image {
 public:
  template <class T>
  void put(std::size_t at, T value) {
    if (bytes_.size() < at + sizeof value) bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  // An entry whose header is `header` bytes long; returns where it begins.
  std::size_t add(std::uint16_t kind, std::uint32_t arch, std::uint64_t flags, std::string text,
                  std::uint32_t header = 0x50) {
    const std::size_t at = bytes_.size();
    text.resize((text.size() + 8) / 8 * 8);
    put<std::uint16_t>(at, kind);
    put<std::uint16_t>(at + 2, 0x0101);
    put<std::uint32_t>(at + 4, header);
    put<std::uint64_t>(at + 8, text.size());
    put<std::uint32_t>(at + 0x1C, arch);
    put<std::uint64_t>(at + 0x28, flags);
    bytes_.resize(at + header);
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    put<std::uint64_t>(8, bytes_.size() - 16);
    return at;
  }
  std::vector<FatbinEntry> read() {
    put<const char*>(0, bytes_.data(), wrapper_);
    return read_fatbin(wrapper_);
  }
  void spoil_wrapper() { wrapper_[0] ^= 1; }
  std::string message() {
    try {
      read();
    } catch (const FatbinError& error) {
      return error.what();
    }
    return "no error";
  }

  Image() {
    const std::uint32_t magic = 0x466243B1;
    std::memcpy(wrapper_, &magic, sizeof magic);
    put<std::uint32_t>(0, 0xBA55ED50);
    put<std::uint16_t>(4, 1);
    put<std::uint16_t>(6, 16);
    put<std::uint64_t>(8, 0);
  }

 private:
  template <class T>
  void put(std::size_t, T pointer, char* wrapper) {
    std::memcpy(wrapper + 8, &pointer, sizeof pointer);
  }
  std::vector<char> bytes_;
  alignas(8) char wrapper_[24] = {};
};

TEST(Fatbin, ReadsPtxBesideMachineCode) {
  Image image;
  image.add(1, 90, 0x11, "plain");
  image.add(2, 90, 0x11, "ELF", 0x40);
  image.add(1, 90, 0x11 | kArchSpecific, "specific", 0x68);
  const auto entries = image.read();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].text, "plain");
  EXPECT_EQ(entries[1].kind, FatbinEntry::Kind::kElf);
  EXPECT_EQ(entries[1].text, "");
  EXPECT_EQ(entries[2].text, "specific");
  EXPECT_TRUE(entries[2].arch_specific);
  EXPECT_EQ(entries[2].arch, 90);
}

TEST(Fatbin, PrefersTheArchSpecificPtxOfTheHighestArch) {
  Image image;
  image.add(1, 90, kArchSpecific, "90a");
  image.add(1, 90, 0, "90");
  image.add(1, 80, 0, "80");
  image.add(2, 100, 0, "ELF");
  const auto entries = image.read();
  EXPECT_EQ(choose_ptx(entries, 0)->text, "90a");
  EXPECT_EQ(choose_ptx(entries, 90)->text, "90a");
  EXPECT_EQ(choose_ptx(entries, 80)->text, "80");
  EXPECT_EQ(choose_ptx(entries, 100), nullptr);
}

TEST(Fatbin, WithoutPtxIsNoErrorButHasNothingToChoose) {
  Image image;
  EXPECT_TRUE(image.read().empty());
  image.add(2, 90, 0, "ELF");
  EXPECT_EQ(choose_ptx(image.read(), 0), nullptr);
}

TEST(Fatbin, SaysHowToAvoidCompressedPtx) {
  Image flagged;
  flagged.add(1, 90, kZstd, "\x28\xB5\x2F\xFD");
  EXPECT_EQ(flagged.message(), "compressed PTX: build with --no-compress");
  Image sized;
  sized.put<std::uint32_t>(sized.add(1, 90, 0, "text") + 0x10, 4);
  EXPECT_EQ(sized.message(), "compressed PTX: build with --no-compress");
}

TEST(Fatbin, AcceptsCompressedMachineCode) {
  Image image;
  image.add(2, 90, kZstd, "ELF");
  EXPECT_EQ(image.read().size(), 1U);
}

TEST(Fatbin, RefusesWrongMagicNumbers) {
  Image wrapper;
  wrapper.spoil_wrapper();
  EXPECT_EQ(wrapper.message(), "fat binary: the wrapper is not one (wrong magic number)");
  Image container;
  container.put<std::uint32_t>(0, 0);
  EXPECT_EQ(container.message(), "fat binary: the container is not one (wrong magic number)");
}

TEST(Fatbin, RefusesSizesThatRunPastTheContainer) {
  const std::string expected = "fat binary: an entry's sizes run past the container";
  for (const std::uint64_t payload :
       {std::uint64_t{9}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    Image image;
    image.put<std::uint64_t>(image.add(1, 90, 0, "text") + 8, payload);
    EXPECT_EQ(image.message(), expected) << payload;
  }
  for (const std::uint32_t header : {0U, 0x3FU, 0x59U, ~0U}) {
    Image image;
    image.put<std::uint32_t>(image.add(1, 90, 0, "text") + 4, header);
    EXPECT_EQ(image.message(), expected) << header;
  }
}

TEST(Fatbin, RefusesAnEntryThatIsCutOff) {
  Image image;
  image.add(1, 90, 0, "text");
  image.put<std::uint64_t>(8, 40);
  EXPECT_EQ(image.message(), "fat binary: an entry is cut off by the end");
}

}  // namespace
}  // namespace gk::emulator
