// A static program loads no libraries: where one would be useful (OpenBLAS, for ridge probe), there is none.

extern "C" {
void* dlopen(const char*, int) { return nullptr; }
void* dlsym(void*, const char*) { return nullptr; }
int dlclose(void*) { return 0; }
char* dlerror() {
  static char none[] = "a static program loads no libraries";
  return none;
}
}
