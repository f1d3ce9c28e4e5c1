import { render } from "preact";
import { at, page } from "./address";
import { Compare } from "./compare";
import { Consent } from "./consent";
import { Home } from "./home";
import { Join } from "./join";
import { Judge } from "./judge";
import { Look } from "./look";
import { Mark } from "./mark";
import { Play } from "./play";
import { Study } from "./study";
import { Watch } from "./watch";

const PAGES: Record<string, () => preact.JSX.Element> = {
  "/": Home,
  "/join": Join,
  "/play": Play,
  "/mark": Mark,
  "/judge": Judge,
  "/compare": Compare,
  "/watch": Watch,
  "/study": Study,
  "/look": Look,
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
