// One page, one file: scripts, styles, fonts, the engine and the answers it opens with all stand inside it.

import { defineConfig } from "vite";
import { answering } from "./bundle/native.ts";
import { oneFile } from "./bundle/one_file.ts";

export default defineConfig({
  base: "./",
  build: { target: "es2022", assetsInlineLimit: 1_000_000, cssCodeSplit: false, modulePreload: false, chunkSizeWarningLimit: 2000 },
  plugins: [answering(), oneFile()],
});
