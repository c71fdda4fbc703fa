// What a command line finds in a terminal and on a disk, over the desk of the request: the functions of
// cli/output/{outlet,early_end,whole_file}.hpp, cli/sweep/in_order.hpp and catalog/facts/files.hpp.

#include "door/desk.hpp"

#include <cerrno>
#include <memory>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/facts/files.hpp"
#include "cli/board/page.hpp"
#include "cli/output/early_end.hpp"
#include "cli/output/outlet.hpp"
#include "cli/output/whole_file.hpp"
#include "cli/program.hpp"
#include "cli/sweep/in_order.hpp"

namespace ridge {

namespace door {

namespace {

thread_local Desk* desk_of_thread = nullptr;

}  // namespace

AtDesk::AtDesk(Desk& desk) : before_(desk_of_thread) { desk_of_thread = &desk; }
AtDesk::~AtDesk() { desk_of_thread = before_; }

}  // namespace door

namespace cli {

using door::desk_of_thread;

int put_out(std::string_view text) {
  if (desk_of_thread == nullptr) return EBADF;
  desk_of_thread->out += text;
  return 0;
}

void put_beside(std::string_view text) {
  if (desk_of_thread != nullptr) desk_of_thread->said += text;
}

bool is_terminal(int) { return false; }

report::Style outlet_style(bool plain) { return {.color = false, .unicode = !plain, .columns = 80}; }

// whoever asks many things at once has threads of its own
unsigned all_threads() { return 1; }

void prepare_for_early_end() {}
void stop_when_asked() {}
int asked_to_stop() { return 0; }
int take_stop() { return 0; }

Temporary::Temporary(const std::string&) : slot_(-1) {}
Temporary::Temporary(Temporary&& other) noexcept : slot_(other.slot_) {}
Temporary::~Temporary() = default;

WholeFile::WholeFile(std::string named, std::string path, std::string temporary, int descriptor)
    : named_(std::move(named)), path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {}
WholeFile::WholeFile(WholeFile&& other) noexcept
    : named_(std::move(other.named_)),
      path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      descriptor_(other.descriptor_),
      hash_(other.hash_) {}
WholeFile::~WholeFile() = default;

tl::unexpected<Errors> WholeFile::failed(int) const {
  return fail({named_, "could not be written", "this is a bug: please report it with the request"});
}

Result<WholeFile> WholeFile::open(const std::string& path, Holds) {
  WholeFile file(path, path, "", -1);
  if (desk_of_thread == nullptr) return file.failed(EBADF);
  desk_of_thread->written[path].clear();
  return file;
}

Result<bool> WholeFile::add(std::string_view piece) {
  if (desk_of_thread == nullptr) return failed(EBADF);
  desk_of_thread->written[path_] += piece;
  hash_.add(piece);
  return true;
}

Result<bool> WholeFile::sync() { return true; }
Result<bool> WholeFile::commit() { return true; }

Result<bool> write_file(const std::string& path, std::string_view text) {
  auto file = WholeFile::open(path);
  if (!file) return fail(file.error());
  return file->add(text);
}

Result<std::string> page_of_answer(const std::string&, const std::string&) {
  return fail({"html", "the board's page is not here", "the ridge program writes it"});
}

int print_in_order(std::size_t count, const std::function<std::string(std::size_t)>& make, bool) {
  for (std::size_t i = 0; i < count; ++i) {
    if (const int code = print(make(i)); code != kAnswered) return code;
  }
  return kAnswered;
}

}  // namespace cli

namespace catalog {

using door::desk_of_thread;

namespace {

/// "./my-config.json" is "my-config.json".
std::string file_name(const std::string& path) { return path.starts_with("./") ? path.substr(2) : path; }

const std::string* file_on_desk(const std::string& path) {
  if (desk_of_thread == nullptr) return nullptr;
  const auto found = desk_of_thread->files.find(file_name(path));
  return found == desk_of_thread->files.end() ? nullptr : &found->second;
}

tl::unexpected<Errors> no_such_file(const std::string& path) {
  std::vector<std::string> names;
  if (desk_of_thread != nullptr) {
    for (const auto& [name, text] : desk_of_thread->files) names.push_back(name);
  }
  return fail({path, "is none of the request's files",
               names.empty() ? "put its text into \"files\"; nothing else is opened" : suggestion(path, names)});
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t largest) {
  const std::string* text = file_on_desk(path);
  if (text == nullptr) return no_such_file(path);
  if (desk_of_thread->sizes.contains(file_name(path)))
    return fail({path, "only its start is here, and all of it is needed", "put the whole file into \"files\""});
  if (text->size() > largest) return fail({path, fmt::format("is larger than {} MiB", largest >> 20), "give a part"});
  return *text;
}

Result<std::string> read_standard_input(std::size_t) {
  return fail({"-", "there is no standard input here", "put the text into \"files\" and give its name"});
}

bool is_there(const std::string& path) { return file_on_desk(path) != nullptr || is_folder(path); }

bool is_folder(const std::string& path) {
  if (desk_of_thread == nullptr || path.empty()) return false;
  const std::string folder = path.ends_with('/') ? file_name(path) : file_name(path) + "/";
  const auto first = desk_of_thread->files.lower_bound(folder);
  return first != desk_of_thread->files.end() && first->first.starts_with(folder);
}

std::vector<std::string> files_ending(const std::string& path, std::string_view ending) {
  std::vector<std::string> names;
  if (desk_of_thread == nullptr) return names;
  const std::string named = file_name(path), folder = named == "." || named.empty() ? "" : named + "/";
  for (const auto& [name, text] : desk_of_thread->files) {
    const bool inside = name.starts_with(folder) && name.find('/', folder.size()) == std::string::npos;
    if (inside && name.ends_with(ending)) names.push_back(name);
  }
  return names;
}

Result<ByteSource> file_source(const std::string& path) {
  const std::string* text = file_on_desk(path);  // the desk outlives the command
  if (text == nullptr) return no_such_file(path);
  ByteSource source = memory_source(*text);
  const auto size = desk_of_thread->sizes.find(file_name(path));
  if (size != desk_of_thread->sizes.end()) source.size = size->second;  // what lies behind the start cannot be read
  return source;
}

std::string without_links(const std::string& path) { return path; }

Result<std::vector<Fact>> read_folder(const std::string& folder, const std::string&) {
  return fail({folder, "a folder of entries cannot be read here", "ridge --catalog reads one"});
}

}  // namespace catalog

}  // namespace ridge
