// Mock daemon: serves `dist` and fixed API responses, for states that are hard to reach with a real daemon.
//
//   PORT=5181 node scripts/mock.mjs         then open http://127.0.0.1:5181/
//
// It has alarms, config problems, untrusted hooks, quarantined memories and failed learning. Changes are not stored.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { respond } from "./mock-responses.mjs";

const dist = join(dirname(fileURLToPath(import.meta.url)), "..", "dist");
const port = Number(process.env.PORT ?? 5181);
const TYPES = {
  js: "text/javascript",
  css: "text/css",
  svg: "image/svg+xml",
  html: "text/html; charset=utf-8",
};

function serveFile(path, response) {
  const name = /^\/(app\.js|app\.css|favicon\.svg)$/.exec(path)?.[1] ?? "index.html";
  response.writeHead(200, { "content-type": TYPES[name.split(".").at(-1)], "cache-control": "no-store" });
  response.end(readFileSync(join(dist, name)));
}

async function serveApi(request, url, response) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const sent = Buffer.concat(pieces).toString();
  const [status, body] = respond(request.method, url.pathname.replace("/api/v1", ""), url.searchParams, sent);
  response.writeHead(status, { "content-type": "application/json" });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://localhost");
  if (url.pathname.startsWith("/api/")) serveApi(request, url, response);
  else serveFile(url.pathname, response);
}).listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/`));
