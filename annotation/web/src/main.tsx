import { render } from "preact";
import { Consent } from "./consent";
import { Home } from "./home";
import { Join } from "./join";
import { Judge } from "./judge";
import { Look } from "./look";
import { Mark } from "./mark";
import { Play } from "./play";
import { Study } from "./study";

const PAGES: Record<string, () => preact.JSX.Element> = {
  "/": Home,
  "/join": Join,
  "/play": Play,
  "/mark": Mark,
  "/judge": Judge,
  "/study": Study,
  "/look": Look,
  "/consent": Consent,
};

const root = document.getElementById("app");
const Page = PAGES[location.pathname] ?? Home;
if (root) {
  root.replaceChildren();
  render(<Page />, root);
}
if ("serviceWorker" in navigator) navigator.serviceWorker.register("/service-worker.js").catch(() => undefined);
