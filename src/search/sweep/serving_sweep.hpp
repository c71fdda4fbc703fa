#pragma once
// A sweep of serving questions: each case is answered as `ridge why` answers it.

#include <functional>

#include "search/sweep/space.hpp"
#include "search/sweep/table.hpp"
#include "serve/serving.hpp"

namespace ridge {

/// Every column a serving sweep can show.
std::vector<SweepColumn> serving_columns();

/// Those of a question: case, words, lengths, flags and degrees. And what stands in them, where the layout is known.
std::vector<SweepColumn> question_columns();
double question_number(const SweepColumn& column, const ServingQuestion& question, const Layout* layout);
std::string question_word(const SweepColumn& column, const ServingQuestion& question, const Layout* layout);

class ServingSweep {
 public:
  /// The question of a case by its number, or what is wrong with it.
  using Ask = std::function<Result<ServingQuestion>(std::uint64_t)>;

  ServingSweep(Space space, Ask ask, const Library& library, std::vector<SweepColumn> columns);

  const Space& space() const { return space_; }
  void evaluate(std::uint64_t first, std::size_t count, SweepTable& table) const;

 private:
  Space space_;
  Ask ask_;
  const Library* library_;
  std::vector<SweepColumn> columns_;
  std::vector<int> axis_of_;
};

}  // namespace ridge
