/* Ridgeline from C: one question, and a sweep over arrays.
 *
 *   cc ask.c -I../../apps/door -L../../build/release -lridgeline -o ask && ./ask */

#include <stdio.h>
#include <string.h>

#include "ridgeline.h"

static int ask_one(void) {
  char* answer = ridge_ask(
      "{\"command\": \"why\", \"arguments\": [\"deepseek-v3\"],"
      " \"options\": {\"on\": \"gb200-nvl72\", \"kv\": \"fp8\", \"batch\": 2048}}");
  if (answer == NULL) return 1;
  const int good = strncmp(answer, "{\"ok\":true", 10) == 0;
  const char* verdict = strstr(answer, "\"text\": ");
  if (verdict != NULL) printf("%.*s\n", (int)strcspn(verdict, "\n"), verdict);
  ridge_free(answer);
  return good ? 0 : 1;
}

static int ask_for_many_batches(void) {
  enum { kCases = 5 };
  const double batch[kCases] = {1, 64, 256, 1024, 4096};
  double step_time[kCases], cost[kCases];
  const char* inputs[] = {"batch"};
  const double* values[] = {batch};
  const char* figures[] = {"step_time", "cost"};
  double* columns[] = {step_time, cost};
  char* errors = NULL;
  const int exit = ridge_ask_many(
      "{\"command\": \"why\", \"arguments\": [\"deepseek-v3\"], \"options\": {\"on\": \"gb200-nvl72\"}}", kCases, 1, inputs,
      values, 2, figures, columns, &errors);
  if (exit != 0) {
    fprintf(stderr, "%s\n", errors == NULL ? "no memory" : errors);
    ridge_free(errors);
    return exit;
  }
  for (int i = 0; i < kCases; ++i)
    printf("batch %4.0f: %8.4f ms a step, $%.3f per million tokens\n", batch[i], 1e3 * step_time[i], 1e6 * cost[i]);
  return 0;
}

int main(void) {
  printf("ridgeline %s\n", ridge_version());
  const int exit = ask_one();
  return exit != 0 ? exit : ask_for_many_batches();
}
