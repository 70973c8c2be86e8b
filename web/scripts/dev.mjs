// The development server: the built files of `dist`, and a daemon behind them.
//
//   npm run dev                      the daemon of ~/.local/state/becket, or of BECKET_HOME
//   PORT=5180 node scripts/dev.mjs   another port
//
// It adds the daemon's token to every request, so nobody has to log in. It listens on loopback only.
import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const dist = join(dirname(fileURLToPath(import.meta.url)), "..", "dist");
const state = process.env.BECKET_HOME
  ? process.env.BECKET_HOME
  : join(process.env.XDG_STATE_HOME ?? join(homedir(), ".local", "state"), "becket");
const port = Number(process.env.PORT ?? 5180);
const TYPES = {
  js: "text/javascript",
  css: "text/css",
  svg: "image/svg+xml",
  html: "text/html; charset=utf-8",
};
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** One of the four files; every path that is none of them is a page. */
function serveFile(path, response) {
  const name = /^\/(app\.js|app\.css|favicon\.svg)$/.exec(path)?.[1] ?? "index.html";
  const type = TYPES[name.split(".").at(-1)];
  response.writeHead(200, {
    "content-type": type,
    "content-security-policy": POLICY,
    "cache-control": "no-store",
  });
  response.end(readFileSync(join(dist, name)));
}

/** Passes a request on. The address and the token are read each time: a daemon that starts anew has others. */
function pass(incoming, response) {
  const gone = () => response.destroy();
  let address;
  let token;
  try {
    address = readFileSync(join(state, "daemon", "address"), "utf8").trim();
    token = readFileSync(join(state, "daemon", "token"), "utf8").trim();
  } catch {
    return gone();
  }
  const headers = { ...incoming.headers, host: address, authorization: `Bearer ${token}` };
  delete headers.origin;
  delete headers.cookie;
  for (const name of Object.keys(headers)) if (name.startsWith("sec-fetch-")) delete headers[name];
  const onward = request(
    `http://${address}${incoming.url}`,
    { method: incoming.method, headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      // A stream that has nothing to tell yet is open all the same.
      response.flushHeaders();
      answer.pipe(response);
      answer.on("error", gone);
    },
  );
  onward.on("error", gone);
  response.on("close", () => onward.destroy());
  incoming.pipe(onward);
}

const server = createServer((incoming, response) => {
  const { pathname } = new URL(incoming.url ?? "/", "http://localhost");
  if (pathname.startsWith("/api/")) pass(incoming, response);
  else serveFile(pathname, response);
});
server.on("error", (error) => {
  console.error(error.code === "EADDRINUSE" ? `port ${port} is taken; PORT=… names another` : error.message);
  process.exitCode = 1;
});
server.listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/`));
