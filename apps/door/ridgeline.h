/* Ridgeline from C: a question as JSON in, an answer as JSON out. docs/c_interface.md has the members of both.
 *
 *   char* answer = ridge_ask("{\"command\": \"why\", \"arguments\": [\"deepseek-v3\"],"
 *                            " \"options\": {\"on\": \"gb200-nvl72\", \"tp\": 8, \"rate\": 4}}");
 *   puts(answer);
 *   ridge_free(answer);
 *
 * Every function may be called by many threads at once; a call runs on the thread that makes it. Nothing is thrown,
 * printed, opened or written, and no call ends the process. */

#ifndef RIDGELINE_H
#define RIDGELINE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RIDGE_PUBLIC __attribute__((visibility("default")))
#else
#define RIDGE_PUBLIC
#endif

/* The version of the library, "0.1.0". */
RIDGE_PUBLIC const char* ridge_version(void);

/* The answer, which the caller frees with ridge_free. What is wrong with a request is an answer, too. Null: no memory. */
RIDGE_PUBLIC char* ridge_ask(const char* request);

/* Many decode steps at once: `request` asks `why` without a load or a layout; in place of some of its inputs stand arrays
 * of `cases` numbers in base units (s, B, B/s, $/s), each by the input's key ("batch", "context", "hbm.bandwidth").
 * Every figure asked for by its key ("step_time", "cost"; `ridge list figures`) is written to its array of `cases`
 * numbers; a figure that does not exist is infinite. 0: done. Otherwise nothing was written, and *errors (may be null)
 * is an answer with errors as ridge_ask gives it, to be freed with ridge_free. */
RIDGE_PUBLIC int ridge_ask_many(const char* request, size_t cases, size_t inputs, const char* const* input_keys,
                                const double* const* input_values, size_t figures, const char* const* figure_keys,
                                double* const* figure_values, char** errors);

/* Null is allowed. */
RIDGE_PUBLIC void ridge_free(char* answer);

#ifdef __cplusplus
}
#endif

#endif
