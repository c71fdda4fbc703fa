// Puts the bundle into the page, with a Content-Security-Policy that allows exactly that and nothing from elsewhere.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function packed(file: string | undefined): string {
  if (!file || !existsSync(file)) return "";
  return gzipSync(readFileSync(file), { level: 9 }).toString("base64");
}

/** LZMA makes the engine a quarter smaller than gzip does; src/engine/lzma.ts unpacks it. The page tells its size. */
function engineScript(file: string | undefined): string {
  const there = file !== undefined && existsSync(file);
  const text = there ? execFileSync("xz", ["--format=lzma", "--lzma1=preset=9e,lc=4,lp=0,pb=0", "-c", file], { maxBuffer: 1 << 28 }).toString("base64") : "";
  return `<script type="text/plain" id="engine" data-size="${there ? statSync(file).size : 0}">${text}</script>`;
}

/** The engine (BOARD_ENGINE) and answers for the first state (BOARD_ANSWERS) where they are built; else none. */
export function oneFile(): Plugin {
  return {
    name: "one-file",
    apply: "build",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = Object.values(bundle).find((one) => one.fileName.endsWith(".html"));
      if (!page || page.type !== "asset") return;
      let html = String(page.source);
      let script = "";
      let style = "";
      for (const [name, one] of Object.entries(bundle)) {
        if (one.type === "chunk") script += one.code;
        else if (name.endsWith(".css")) style += String(one.source);
        else continue;
        delete bundle[name];
      }
      script = script.replaceAll("</script", "<\\/script").trim();
      html = html.replace(/<script type="module"[^>]*><\/script>\s*/g, "").replace(/<link rel="stylesheet"[^>]*>\s*/g, "");
      const engine = engineScript(process.env.BOARD_ENGINE);
      const answers = packed(process.env.BOARD_ANSWERS);
      const reach = !existsSync(process.env.BOARD_ENGINE ?? "") ? "'self'" : "'none'"; // without an engine inside, questions go to the development server
      const policy = [
        "default-src 'none'", `script-src ${hashOf(script)} 'wasm-unsafe-eval'`, "worker-src blob:", `style-src ${hashOf(style)}`,
        "font-src data:", "img-src data: blob:", `connect-src ${reach}`, "base-uri 'none'", "form-action 'none'",
      ].join("; ");
      const version = process.env.BOARD_VERSION ?? "";
      html = html.replace('<html lang="en">', () => `<html lang="en" data-version="${version}">`);
      html = html.replace("<head>", () => `<head>\n<meta http-equiv="Content-Security-Policy" content="${policy}">`);
      html = html.replace("</head>", () => `<style>${style}</style>\n</head>`);
      const data = `${engine}\n<script type="text/plain" id="answers">${answers}</script>\n`;
      html = html.replace("</body>", () => `${data}<script type="module">${script}</script>\n</body>`);
      page.source = html;
    },
  };
}
