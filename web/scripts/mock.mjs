// A daemon made up: the built files of `dist`, and answers for states that are hard to get from a real one.
//
//   PORT=5181 node scripts/mock.mjs         then BASE=http://127.0.0.1:5181 node scripts/shots.mjs decisions hooks …
//
// It shows alarms, problems of files, hooks that wait for trust, memories that are set aside and learning that failed.
// Nothing is kept: what is changed is said to have worked.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { answer } from "./mock-answers.mjs";

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

async function serveAnswer(request, url, response) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const sent = Buffer.concat(pieces).toString();
  const [status, body] = answer(request.method, url.pathname.replace("/api/v1", ""), url.searchParams, sent);
  response.writeHead(status, { "content-type": "application/json" });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://localhost");
  if (url.pathname.startsWith("/api/")) serveAnswer(request, url, response);
  else serveFile(url.pathname, response);
}).listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/`));
