import { render } from "preact";
import { at, page } from "./address";
import { workPage } from "./bench/work";
import { COMPARING } from "./comparing/bench";
import { Consent } from "./consent";
import { Home } from "./home";
import { INFERRING } from "./inferring/bench";
import { Join } from "./join";
import { JUDGING } from "./judging/bench";
import { Look } from "./look";
import { MARKING } from "./marking/bench";
import { Play } from "./play";
import { Study } from "./study";
import { PREFERRING, TEACHING } from "./teach/bench";

const PAGES: Record<string, () => preact.JSX.Element> = {
  "/": Home,
  "/join": Join,
  "/play": Play,
  "/mark": workPage(MARKING),
  "/judge": workPage(JUDGING),
  "/compare": workPage(COMPARING),
  "/watch": workPage(INFERRING),
  "/study": Study,
  "/look": Look,
  "/teach": workPage(TEACHING, [PREFERRING]),
  "/consent": Consent,
};

// Pages that depend on what follows the #. Browsers do not load a page again when only that changes.
const MADE_FOR_HASH = ["/join", "/play"];

const root = document.getElementById("app");
const Page = PAGES[page()] ?? Home;
if (root) {
  root.replaceChildren();
  render(<Page />, root);
}
if (MADE_FOR_HASH.includes(page())) addEventListener("hashchange", () => location.reload());
if ("serviceWorker" in navigator) navigator.serviceWorker.register(at("/service-worker.js")).catch(() => undefined);
