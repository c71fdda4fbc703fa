// Puts the bundle into the page, with a Content-Security-Policy that allows exactly that and nothing from elsewhere.

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function packed(file: string | undefined): string {
  if (!file || !existsSync(file)) return "";
  return gzipSync(readFileSync(file), { level: 9 }).toString("base64");
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
      const engine = packed(process.env.BOARD_ENGINE);
      const answers = packed(process.env.BOARD_ANSWERS);
      const reach = engine === "" ? "'self'" : "'none'"; // without an engine inside, questions go to the development server
      const policy = [
        "default-src 'none'", `script-src ${hashOf(script)} 'wasm-unsafe-eval'`, "worker-src blob:", `style-src ${hashOf(style)}`,
        "font-src data:", "img-src data: blob:", `connect-src ${reach}`, "base-uri 'none'", "form-action 'none'",
      ].join("; ");
      const version = process.env.BOARD_VERSION ?? "";
      html = html.replace('<html lang="en">', () => `<html lang="en" data-version="${version}">`);
      html = html.replace("<head>", () => `<head>\n<meta http-equiv="Content-Security-Policy" content="${policy}">`);
      html = html.replace("</head>", () => `<style>${style}</style>\n</head>`);
      const data = `<script type="text/plain" id="engine">${engine}</script>\n<script type="text/plain" id="answers">${answers}</script>\n`;
      html = html.replace("</body>", () => `${data}<script type="module">${script}</script>\n</body>`);
      page.source = html;
    },
  };
}
