#include "cli/command_options.hpp"
#include "cli/shared_options.hpp"

namespace ridge::cli {

namespace {

constexpr const char* kShowHelp =
    "A model may be a file: a Hugging Face config.json (- for standard input), its folder, a .safetensors or .gguf "
    "file.\n"
    "Where tensors are present they are counted, and the config is checked against them. No tensor data is read.\n"
    "Examples:\n"
    "  ridge show model deepseek-v3\n"
    "  ridge show model examples/06-your-model/config.json --verbose\n"
    "  ridge show model deepseek-v3 --json\n"
    "  ridge show gb200-nvl72; ridge show C09; ridge show h200-sxm --verbose";

/// For commands that take a model: it may be a file.
void add_file_options(CLI::App& app, Options& options) {
  add_assume(app, options, "TYPE=KIND: your word for a layer type or model type in a file that ridge does not know");
}

}  // namespace

void add_model_commands(CLI::App& main, Options& options) {
  CLI::App* show = main.add_subcommand("show", "one catalog entry; for a model, from a file too, everything counted");
  show->add_option("WHAT", options.subject, "a name, a model's file, or a category (model, machine, ...) before one")
      ->required();
  show->add_option("NAME", options.other, "the name, where WHAT is a category");
  show->add_flag("--verbose", options.verbose,
                 "every value with its source, and the keys of a file that were not needed");
  add_file_options(*show, options);
  add_output_options(*show, options);
  show->footer(kShowHelp);

  CLI::App* diff = main.add_subcommand("diff", "what differs between two models, or two entries of the catalog");
  diff->add_option("A", options.subject, "a model, its file, or another entry")->required();
  diff->add_option("B", options.other, "the other one")->required();
  add_file_options(*diff, options);
  add_output_options(*diff, options);
  diff->footer(
      "Examples:\n  ridge diff deepseek-v3 kimi-k2\n  ridge diff hgx-h100 hgx-h200\n  ridge diff llama-3.1-70b "
      "qwen2.5-72b --json");

  CLI::App* import = main.add_subcommand("import", "a catalog entry from a model's file");
  import->add_option("WHAT", options.subject, "model")->required();
  import->add_option("FILE", options.model, "config.json, its folder, a .safetensors or .gguf file, or -")->required();
  import->add_option("--name", options.name, "name of the entry; default: from the file's name")->type_name("NAME");
  import->add_option("--title", options.title, "title of the entry; default: from the file's name")->type_name("TEXT");
  import->add_option("--source", options.source, "where the file comes from; default: its name")->type_name("TEXT");
  import->add_option("--date", options.date, "when it was fetched, e.g. 2026-08-21")->type_name("DATE");
  import->add_option("--out", options.out_file, "write the entry here; default: standard output")->type_name("FILE");
  import->add_flag("--verbose", options.verbose, "the keys of the file that were not needed");
  add_file_options(*import, options);
  add_output_options(*import, options);
  import->footer(
      "The entry goes into DIR/model/NAME.toml; every command then takes --catalog DIR.\n"
      "Examples:\n"
      "  ridge import model examples/06-your-model --name your-model\n"
      "  ridge import model examples/06-your-model/config.json --name your-model --out your-model.toml");
}

void add_lists(CLI::App& main, Options& options) {
  CLI::App* list = main.add_subcommand("list", "what the catalog holds");
  list->add_option("WHAT", options.subject,
                   "models, machines, chips, formats, sources, laws, claims, inputs, figures, ...");
  add_output_options(*list, options);
  list->footer("Examples:\n  ridge list\n  ridge list machines\n  ridge list models --json");

  CLI::App* claims = main.add_subcommand("claims", "the lecture's statements, computed and judged");
  claims->add_option("ID", options.subject, "one claim, e.g. C09; all without it");
  add_output_options(*claims, options);
  claims->footer("Examples:\n  ridge claims\n  ridge claims C12\n  ridge claims --json");
}

void add_evidence_commands(CLI::App& main, Options& options) {
  const auto add_evidence = [&](CLI::App& app) {
    app.add_option("--evidence", options.evidence_folder,
                   "folder with rows as in catalog/evidence; default: those compiled in")
        ->type_name("DIR");
  };
  CLI::App* validate = main.add_subcommand("validate", "predictions against measured kernels and runs");
  validate
      ->add_option("--leave-one-out", options.leave_out,
                   "fit again without each model, or each chip, and judge what was left out: model, chip or all")
      ->type_name("WHAT");
  validate
      ->add_option("--max-error", options.most_error,
                   "exit with 5 where a mean error of time per token or throughput, or of all that was left out "
                   "together, is above this share")
      ->check(CLI::Range(0.0, 10.0))
      ->type_name("SHARE");
  validate->add_flag("--page", options.page, "as the Markdown page docs/validation.md");
  add_evidence(*validate);
  add_output_options(*validate, options);
  validate->footer(
      "Examples:\n  ridge validate\n  ridge validate --max-error 0.15\n  ridge validate --leave-one-out model\n"
      "  ridge validate --json");

  CLI::App* calibrate = main.add_subcommand("calibrate", "fit chips, kernels and engines to the evidence again");
  calibrate->add_option("--out", options.out_file, "folder to write the entries to; default: standard output")
      ->type_name("DIR");
  add_evidence(*calibrate);
  add_output_options(*calibrate, options);
  calibrate->footer(
      "Fits every chip to the measured kernels and every engine to the measured runs, starting from\n"
      "catalog/calibration/prior.toml. The catalog's own entries were written by: ridge calibrate --out "
      "catalog/calibration\n"
      "Examples:\n  ridge calibrate --out my-catalog/calibration; ridge validate --catalog my-catalog");
}

}  // namespace ridge::cli
