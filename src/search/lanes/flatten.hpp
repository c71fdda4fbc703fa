#pragma once

// With everything inlined the cases stay in registers instead of passing through structs in memory; a sanitized build
// would only compile for a minute longer.
#ifdef __SANITIZE_ADDRESS__
#define RIDGE_FLATTEN
#else
#define RIDGE_FLATTEN [[gnu::flatten]]
#endif
