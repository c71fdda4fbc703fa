// The board: the state in the middle, the engine behind it, and parts that show what it said.

import "./fonts.css";
import "./style.css";
import { Board } from "./board";
import { Catalog } from "./catalog";
import { onBatchHandle } from "./charts/handle";
import { keep, showComparison } from "./compare";
import { byId, h } from "./dom";
import { Drop, type Taken } from "./drop";
import { Client } from "./engine/client";
import { jsonOf } from "./engine/door";
import { answersOf } from "./engine/embedded";
import { FirstScreen } from "./first_screen";
import { buildHeader } from "./header";
import { notice } from "./notice";
import { allPanels } from "./panels/all";
import { claimsOf, listOf } from "./questions";
import { Store, writeLink } from "./state";
import { claimsPanel } from "./story/claims";
import { Story } from "./story/story";
import { symbolOf, Why } from "./why";

/** In another page's frame (board.html?embed): the first screen alone, with a link to the whole board in the same state. */
function attribution(store: Store): HTMLElement {
  const link = h("a", { class: "attribution", target: "_blank", rel: "noopener", href: "#" }, "Open the whole board in this state");
  const follow = () => link.setAttribute("href", `${location.pathname}#${writeLink(store.state)}`);
  store.listen(follow);
  follow();
  return link;
}

/** The page's own fonts, which it carries: drawn before them, every line would move when they come. */
async function fontsThere(): Promise<void> {
  await Promise.all(['26px "Source Serif 4 Variable"', '600 26px "Source Serif 4 Variable"', 'italic 15px "Source Serif 4 Variable"', '13px "Inter Variable"'].map((one) => document.fonts.load(one))).catch(() => []);
}

async function start(): Promise<void> {
  const embedded = new URLSearchParams(location.search).has("embed");
  if (embedded) document.documentElement.dataset.embed = "";
  const client = new Client();
  const [answers] = await Promise.all([answersOf(), fontsThere()]);
  client.seed(answers);
  const store = new Store();
  const catalog = new Catalog();
  const story = new Story(store);
  const why = new Why(client);
  const screen = new FirstScreen(store, client, catalog);
  const board = new Board(client, () => showAll());
  const taken: Taken = { runs: () => panels.forEach((one) => one.draw()), sheet: () => {}, trace: () => {} };
  const drop = new Drop(store, client, catalog, taken);
  board.withFiles = drop.withFiles;
  screen.question = drop.withFiles;
  const onWhy = (figure: string) => {
    byId("board").scrollIntoView();
    window.scrollTo(0, 0);
    story.element.hidden = true;
    screen.race.hidden = true;
    void why.show(figure, board.answers, store.state);
  };
  why.onClose = () => {
    story.element.hidden = false;
    screen.race.hidden = false;
  };
  screen.onWhy = onWhy;
  screen.right.append(story.element, why.element);
  const claims = claimsPanel(story);
  const panels = allPanels({ store, client, board: () => board, story: (id) => story.panel(id), onWhy, runs: drop.runs, taken, question: drop.withFiles, wrong: new Map() });
  byId("main").append(screen.element, ...panels.map((one) => one.element), claims.element, h("footer", { class: "wrap foot" }, `Ridgeline ${document.documentElement.dataset.version ?? ""}. The engine runs in this page; nothing leaves it.`, embedded ? [" ", attribution(store)] : null));
  buildHeader(screen, [["board", "Board"], ...panels.map((one): [string, string] => [one.id, one.name]), ["claims", "Claims"]], {
    compare: () => notice(keep(store), true), drop: () => drop.choose(), why: () => onWhy("t_step"),
  });

  let report = document.documentElement.dataset.report; // a page written by ridge why --html: its reasons stand open
  const showAll = () => {
    document.documentElement.dataset.read = store.state.read;
    screen.show(board.answers);
    for (const one of panels) one.refresh();
    const settled = store.state.read === "bound" || board.answers.calibrated || board.answers.calibratedErrors.length > 0;
    if (report && board.answers.bound && settled) {
      onWhy(symbolOf(report));
      report = undefined;
    }
    void showComparison(screen.comparison, store, client, catalog, drop.withFiles);
  };
  const follow = () => {
    if (why.open) why.close();
    document.documentElement.dataset.read = store.state.read;
    screen.follow();
    void board.follow(store.state);
  };
  onBatchHandle((batch, done) => (done ? store.commit({ batch }) : store.set({ batch })));
  for (const words of store.warnings) notice(words);
  store.listen(follow);
  follow();
  void Promise.all([client.ask(listOf("models"), "models"), client.ask(listOf("machines"), "machines")]).then(([models, machines]) => {
    catalog.know(jsonOf(models), jsonOf(machines));
    screen.follow();
  });
  void client.ask(claimsOf(), "claims", "slow").then((answer) => {
    story.know(jsonOf(answer));
    claims.show(story.all());
  });
  Object.assign(window, { ridgeline: { store, client, board, drop } }); // for tests and the curious
}

void start();
