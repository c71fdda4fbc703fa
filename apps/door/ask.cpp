#include "door/ask.hpp"

#include "cli/options/flags.hpp"
#include "cli/program.hpp"
#include "door/answer_json.hpp"
#include "door/desk.hpp"
#include "door/request.hpp"

namespace ridge::door {

namespace {

/// What the command would do with a terminal and a disk, on the desk: its exit code.
Result<int> run_at(Desk& desk, const cli::Arguments& arguments) {
  const AtDesk here(desk);
  auto program = cli::start(arguments);
  if (!program) return fail(program.error());
  return arguments.command->run(arguments, *program);
}

std::string our_bug(const std::string& what) {
  return refusal_json(cli::kOurBug, {{"ridge", what, "this is a bug: please report it with the request"}});
}

}  // namespace

std::string ask(std::string_view json) {
  auto request = read_request(json);
  if (!request) return refusal_json(cli::kWrongUsage, request.error());
  const cli::Arguments& arguments = request->arguments;
  Desk desk;
  desk.files = std::move(request->files);
  desk.sizes = std::move(request->sizes);
  const auto code = run_at(desk, arguments);
  if (!code) return refusal_json(cli::kBadInput, in_flags(code.error(), *arguments.command));
  if (*code == cli::kOurBug) return our_bug(desk.said);
  Answer answer{std::move(desk.out), false, std::move(desk.said), std::move(desk.written)};
  if (request->format == AnswerFormat::svg) {
    const auto drawn = answer.files.find(std::string(kPicture));
    if (drawn == answer.files.end())
      return refusal_json(cli::kBadInput, {{"format", "this answer has no picture", "ask for json or text"}});
    answer.out = drawn->second;
    answer.files.erase(drawn);
  } else {
    answer.is_json = request->format == AnswerFormat::json && answer.out.starts_with('{');
  }
  return answer_json(*code, answer);
}

}  // namespace ridge::door
