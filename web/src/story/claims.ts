// Every claim of the lecture with the engine's verdict, each a link to what shows it.

import { byId, h, replace } from "../dom";
import type { Json } from "../engine/door";
import { steps, topicPanels } from "./steps";
import { capital, firstSentence, marksOf, type Story } from "./story";

export function claimsPanel(story: Story): { element: HTMLElement; show: (claims: Json[]) => void } {
  const list = h("ul", { class: "claims" });
  const title = h("h2", { class: "fttl" }, "Claims");
  const element = h("section", { id: "claims", class: "wrap panel", "aria-label": "Claims" }, title, list);
  const show = (claims: Json[]) => {
    const count = (verdict: string) => claims.filter((one) => one.verdict === verdict).length;
    title.textContent = `Of ${claims.length} statements ${count("holds")} hold, ${count("holds under conditions")} hold under conditions, ${count("does not hold")} do not hold; ${count("derived")} were derived.`;
    replace(list, claims.map((claim) => item(claim, story)));
  };
  return { element, show };
}

function item(claim: Json, story: Story): HTMLElement {
  const step = steps.findIndex((one) => one.claims.includes(claim.id));
  const panel = topicPanels[claim.topic] ?? "board";
  const go = (event: Event) => {
    event.preventDefault();
    if (step >= 0) story.go(step);
    else byId(panel).scrollIntoView();
  };
  return h(
    "li", { id: `claim-${claim.id}` }, h("a", { href: `#${panel}`, class: "words", onclick: go }, `${claim.title}.`),
    h("div", { class: "vd" }, h("span", { class: "mark", "aria-hidden": "true" }, marksOf[claim.verdict] ?? "·"), h("span", {}, h("b", {}, capital(claim.verdict)), claim.verdict === "holds" ? "" : `: ${firstSentence(claim.condition ?? "")}`, ` ${claim.id}`)),
  );
}
