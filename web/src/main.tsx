import { render } from "preact";
import { listenForKeys } from "./lib/keys";
import { listen } from "./lib/router";
import { startTheme } from "./lib/theme";
import { App } from "./shell/app";
import "uplot/dist/uPlot.min.css";
import "./style/colours.css";
import "./style/base.css";
import "./style/shell.css";
import "./style/parts.css";
import "./style/live.css";
import "./style/sessions.css";
import "./style/insight.css";

startTheme();
listen();
listenForKeys();
const root = document.getElementById("app");
if (root) render(<App />, root);
