// A chart as a file: CSV, SVG or PNG, each with the assumptions it was drawn under.

import type { Drawing } from "./charts/figure";

function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function assumptions(drawing: Drawing, command: string): string[] {
  const classes = drawing.badges.map((one) => one.words).join("; ");
  const state = location.hash === "" ? "the state it opens with" : location.hash;
  return [drawing.title, command, classes, `Ridgeline ${document.documentElement.dataset.version ?? ""}, ${state}`];
}

export function csvOf(drawing: Drawing, command: string): string {
  const cell = (value: number | string | null) => {
    const text = value === null ? "" : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const notes = assumptions(drawing, command).map((words) => `# ${words.replaceAll("\n", " ")}`);
  const head = drawing.table.columns.map((one) => cell(one.unit ? `${one.name} (${one.unit})` : one.name)).join(",");
  return [...notes, head, ...drawing.table.rows.map((row) => row.map(cell).join(","))].join("\n") + "\n";
}

export function downloadCsv(id: string, drawing: Drawing, command: string): void {
  save(`ridgeline-${id}.csv`, new Blob([csvOf(drawing, command)], { type: "text/csv" }));
}

/** The drawing alone: what style sheets said of each part is written into it. */
export function svgOf(drawing: Drawing, command: string): string {
  const source = drawing.svg;
  const copy = source.cloneNode(true) as SVGSVGElement;
  const width = Number(source.getAttribute("width"));
  const height = Number(source.getAttribute("height"));
  const kept = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "font-family", "font-size", "font-weight", "opacity", "paint-order"];
  const originals = source.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((part, i) => {
    const original = originals[i];
    if (!original) return;
    const look = getComputedStyle(original);
    for (const property of kept) {
      const value = look.getPropertyValue(property);
      if (value && !value.includes("url(")) part.setAttribute(property, value);
    }
    if (look.fill.includes("#hatch")) part.setAttribute("fill", "#8884");
    part.removeAttribute("class");
    part.removeAttribute("style");
  });
  const page = getComputedStyle(document.documentElement);
  const space = "http://www.w3.org/2000/svg";
  const paper = document.createElementNS(space, "rect");
  for (const [name, value] of Object.entries({ width: "100%", height: "100%", x: "-16", y: "-40", fill: page.getPropertyValue("--paper") }))
    paper.setAttribute(name, value.trim());
  copy.prepend(paper);
  const write = (words: string, y: number, size: number, weight: string) => {
    const part = document.createElementNS(space, "text");
    const look = { x: "0", y: String(y), "font-size": String(size), "font-weight": weight, "font-family": "sans-serif", fill: page.getPropertyValue("--ink").trim() };
    for (const [name, value] of Object.entries(look)) part.setAttribute(name, value);
    part.textContent = words;
    copy.append(part);
  };
  const [title = "", ...rest] = assumptions(drawing, command);
  write(title, -16, 15, "600");
  rest.forEach((words, i) => write(words, height + 18 + 15 * i, 10, "400"));
  copy.setAttribute("xmlns", space);
  copy.setAttribute("viewBox", `-16 -40 ${width + 32} ${height + 100}`);
  copy.setAttribute("width", String(width + 32));
  copy.setAttribute("height", String(height + 100));
  return new XMLSerializer().serializeToString(copy);
}

export function downloadSvg(id: string, drawing: Drawing, command: string): void {
  save(`ridgeline-${id}.svg`, new Blob([svgOf(drawing, command)], { type: "image/svg+xml" }));
}

export async function downloadPng(id: string, drawing: Drawing, command: string): Promise<void> {
  const picture = new Image();
  const address = URL.createObjectURL(new Blob([svgOf(drawing, command)], { type: "image/svg+xml" }));
  await new Promise<void>((done, failed) => {
    picture.onload = () => done();
    picture.onerror = () => failed(new Error("the drawing could not be read back"));
    picture.src = address;
  });
  const canvas = document.createElement("canvas");
  canvas.width = picture.width * 2;
  canvas.height = picture.height * 2;
  const pen = canvas.getContext("2d");
  pen?.scale(2, 2);
  pen?.drawImage(picture, 0, 0);
  URL.revokeObjectURL(address);
  canvas.toBlob((content) => content && save(`ridgeline-${id}.png`, content));
}
