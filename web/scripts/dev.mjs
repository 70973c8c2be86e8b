// Development server: serves `dist` and proxies API requests to a running daemon.
//
//   npm run dev                      the daemon of ~/.local/state/becket, or of BECKET_HOME
//   PORT=5180 node scripts/dev.mjs   another port
//
// It adds the daemon's bearer token to every request, so no login is needed. It listens on loopback only.
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

/** Serves one of the four files; every other path is a page and gets `index.html`. */
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

/** Proxies a request. Address and token are read each time, because they change when the daemon restarts. */
function proxy(incoming, response) {
  const close = () => response.destroy();
  let address;
  let token;
  try {
    address = readFileSync(join(state, "daemon", "address"), "utf8").trim();
    token = readFileSync(join(state, "daemon", "token"), "utf8").trim();
  } catch {
    return close();
  }
  const headers = { ...incoming.headers, host: address, authorization: `Bearer ${token}` };
  delete headers.origin;
  delete headers.cookie;
  for (const name of Object.keys(headers)) if (name.startsWith("sec-fetch-")) delete headers[name];
  const onward = request(
    `http://${address}${incoming.url}`,
    { method: incoming.method, headers },
    (upstream) => {
      response.writeHead(upstream.statusCode ?? 502, upstream.headers);
      // Send the headers of an event stream before its first event.
      response.flushHeaders();
      upstream.pipe(response);
      upstream.on("error", close);
    },
  );
  onward.on("error", close);
  response.on("close", () => onward.destroy());
  incoming.pipe(onward);
}

const server = createServer((incoming, response) => {
  const { pathname } = new URL(incoming.url ?? "/", "http://localhost");
  if (pathname.startsWith("/api/")) proxy(incoming, response);
  else serveFile(pathname, response);
});
server.on("error", (error) => {
  console.error(
    error.code === "EADDRINUSE" ? `port ${port} is in use; set PORT to use another` : error.message,
  );
  process.exitCode = 1;
});
server.listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/`));
