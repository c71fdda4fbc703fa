// The bar on top: panels, and what can be done with the whole board.

import { byId, h, replace } from "./dom";
import type { FirstScreen } from "./first_screen";
import { helpDialog } from "./help";
import { notice } from "./notice";

export interface Tools {
  compare: () => void;
  drop: () => void;
  why: () => void;
}

export function buildHeader(screen: FirstScreen, panels: [string, string][], tools: Tools): void {
  const help = helpDialog();
  const tool = (words: string, id: string, does: () => void, kind = "w") => h("button", { type: "button", class: kind, id, onclick: does }, words);
  const copy = (text: string, what: string) => void navigator.clipboard.writeText(text).then(() => notice(`copied ${what}: ${text}`, true), () => notice(`${what}: ${text}`, true));
  const named = panels.map(([id, words]) => h("a", { href: `#${id}`, "data-panel": id }, words));
  replace(
    byId("tools"),
    tool("Copy link", "copy-link", () => copy(location.href, "the link")),
    tool("Copy as ridge", "copy-command", () => copy(screen.command(), "the command")),
    tool("Compare", "compare-tool", tools.compare), tool("Drop a file", "drop-tool", tools.drop), themeButton(),
    h("button", { type: "button", "aria-label": "keyboard help", onclick: () => help.showModal() }, "?"),
    menu(panels, [["Copy link", () => copy(location.href, "the link")], ["Copy as ridge", () => copy(screen.command(), "the command")], ["Compare", tools.compare], ["Drop a file", tools.drop]]),
  );
  replace(byId("mini"), screen.sentence.mini);
  replace(byId("nav"), named);
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>("a[data-panel], #brand");
    if (!link) return;
    event.preventDefault();
    byId(link.dataset.panel ?? "board").scrollIntoView();
    if ((link.dataset.panel ?? "board") === "board") window.scrollTo(0, 0);
  });
  document.addEventListener("keydown", (event) => {
    const typing = (event.target as Element).closest("input, select, textarea, dialog");
    if (typing) return;
    if (event.key === "z" && (event.ctrlKey || event.metaKey)) history.back();
    else if (event.ctrlKey || event.metaKey || event.altKey) return;
    else if (event.key === "?") help.showModal();
    else if (event.key === "c" || event.key === "C") tools.compare();
    else if (event.key === "w" || event.key === "W") tools.why();
    else return;
    event.preventDefault();
  });
  const seen = (id: string) => {
    for (const link of byId("nav").children) (link as HTMLElement).dataset.panel === id ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current");
  };
  seen("board");
  new IntersectionObserver(([entry]) => document.body.classList.toggle("scrolled", !(entry?.isIntersecting ?? true)), { rootMargin: "-48px 0px 0px 0px" }).observe(screen.sentence.element);
}

/** The same on a narrow screen, behind one word. */
function menu(panels: [string, string][], tools: [string, () => void][]): HTMLElement {
  const links = panels.map(([id, words]) => h("a", { href: `#${id}`, "data-panel": id }, words));
  const buttons = tools.map(([words, does]) => h("button", { type: "button", onclick: does }, words));
  const all = h("details", { class: "menu" }, h("summary", {}, "Menu"), h("div", { class: "sheet" }, h("nav", { "aria-label": "Panels, in a menu" }, links), h("div", { class: "does" }, buttons)));
  all.addEventListener("click", (event) => {
    if ((event.target as Element).closest("a, .does button")) all.open = false;
  });
  all.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !all.open) return;
    all.open = false;
    all.querySelector("summary")?.focus();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!all.contains(event.target as Node)) all.open = false;
  });
  return all;
}

function themeButton(): HTMLElement {
  const root = document.documentElement;
  const dark = () => root.dataset.theme === "dark" || (root.dataset.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  const button = h("button", { type: "button", id: "theme", "aria-label": "light or dark" });
  const name = () => (button.textContent = dark() ? "Light" : "Dark");
  const kept = storedTheme();
  if (kept) root.dataset.theme = kept;
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    storeTheme(root.dataset.theme);
    name();
  });
  name();
  return button;
}

function storedTheme(): string | null {
  try {
    const theme = localStorage.getItem("ridgeline-theme");
    return theme === "dark" || theme === "light" ? theme : null;
  } catch {
    return null; // a page from a file may keep nothing
  }
}

function storeTheme(theme: string): void {
  try {
    localStorage.setItem("ridgeline-theme", theme);
  } catch {
    // see above
  }
}
