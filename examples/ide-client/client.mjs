// A minimal editor client: starts `becket rpc`, subscribes, and prints the activity of agents in a project.
// Ctrl-C stops it; the next start resumes from the stored cursor.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';

const project = resolve(process.argv[2] ?? '.'); // a subscription needs an absolute path
const cursorFile = process.argv[3]; // optional: stores the cursor, to resume at the next start
const becket = spawn(process.env.BECKET ?? 'becket', ['rpc'], { cwd: project, stdio: ['pipe', 'pipe', 'inherit'] });
const connection = createMessageConnection(
  new StreamMessageReader(becket.stdout),
  new StreamMessageWriter(becket.stdin),
);

const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`;
const show = (params, text) => console.log(`[${params.agent}] ${text}`);

// Autohand's notifications, for every agent. Becket adds fields such as `agent` and `verdict`.
const handlers = {
  sessionStart: (p) => show(p, `session started: ${p.sessionType}`),
  prePrompt: (p) => show(p, `prompt: ${p.instruction}`),
  preTool: (p) => {
    const isBlocked = ['deny', 'halt'].includes(p.verdict);
    show(p, isBlocked ? `${p.toolName} blocked: ${p.verdictReason}` : `running ${p.toolName}…`);
  },
  postTool: (p) => show(p, `${p.toolName} ${p.success ? 'done' : 'failed'} after ${seconds(p.duration)}`),
  fileModified: (p) => show(p, `${p.changeType}: ${p.filePath}`),
  stop: (p) => show(p, `turn finished: ${p.toolCallsCount} tool calls, ${p.tokensUsed} tokens, ${seconds(p.duration)}`),
  subagentStop: (p) => show(p, `subagent ${p.subagentName} ${p.success ? 'done' : 'failed'}`),
  permissionRequest: (p) => show(p, `asks for permission: ${p.tool} ${p.command ?? p.path ?? ''}`),
  notification: (p) => show(p, p.message),
  sessionError: (p) => show(p, `error: ${p.error}`),
  rateLimit: (p) => show(p, `rate limit reached${p.retryAfterMs ? `, retry in ${seconds(p.retryAfterMs)}` : ''}: ${p.error}`),
  sessionEnd: (p) => show(p, `session ended: ${p.reason} after ${seconds(p.duration)}`),
};
for (const [name, handler] of Object.entries(handlers)) {
  connection.onNotification(`autohand.hook.${name}`, (params) => {
    handler(params);
    if (cursorFile) writeFileSync(cursorFile, String(params.cursor));
  });
}
connection.onClose(() => process.exit(0));
becket.on('error', (error) => {
  console.error(`cannot start becket: ${error.message}`);
  process.exit(1);
});

connection.listen();
const since = cursorFile && existsSync(cursorFile) ? Number(readFileSync(cursorFile, 'utf8')) : undefined;
const { cursor } = await connection.sendRequest('becket.subscribe', { project, since });
// Store the cursor even if no event arrives, so that the next start resumes from here.
if (cursorFile && !existsSync(cursorFile)) writeFileSync(cursorFile, String(cursor));
const { items } = await connection.sendRequest('becket.sessions', { project, limit: 3 });
for (const session of items) {
  console.log(`${session.id} (${session.agent}, ${session.status}): ${session.first_prompt ?? 'no prompt yet'}`);
}
