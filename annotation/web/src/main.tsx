import { render } from "preact";
import { Home } from "./home";
import { Join } from "./join";
import { Mark } from "./mark";
import { Play } from "./play";
import { Study } from "./study";

const PAGES: Record<string, () => preact.JSX.Element> = { "/": Home, "/join": Join, "/mark": Mark, "/study": Study, "/play": Play };

const root = document.getElementById("app");
const Page = PAGES[location.pathname] ?? Home;
if (root) {
  root.replaceChildren();
  render(<Page />, root);
}
if ("serviceWorker" in navigator) navigator.serviceWorker.register("/service-worker.js").catch(() => undefined);
