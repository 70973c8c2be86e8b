// What an editor extension does with Becket, without the editor: start `becket rpc`, subscribe, show
// what agents do in this project. Ctrl-C ends it; the next start goes on where this one ended.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';

const project = resolve(process.argv[2] ?? '.'); // a subscription names its project by an absolute path
const place = process.argv[3]; // a file for the cursor, if the client is to go on where it was
const becket = spawn(process.env.BECKET ?? 'becket', ['rpc'], { cwd: project, stdio: ['pipe', 'pipe', 'inherit'] });
const connection = createMessageConnection(
  new StreamMessageReader(becket.stdout),
  new StreamMessageWriter(becket.stdin),
);

const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`;
const show = (params, text) => console.log(`[${params.agent}] ${text}`);

// Autohand's notifications, for every agent. Becket adds members of its own, such as `agent` and `verdict`.
const handlers = {
  sessionStart: (p) => show(p, `session started: ${p.sessionType}`),
  prePrompt: (p) => show(p, `asked: ${p.instruction}`),
  preTool: (p) => {
    const refused = ['deny', 'halt'].includes(p.verdict);
    show(p, refused ? `${p.toolName} was refused: ${p.verdictReason}` : `running ${p.toolName}…`);
  },
  postTool: (p) => show(p, `${p.toolName} ${p.success ? 'done' : 'failed'} after ${seconds(p.duration)}`),
  fileModified: (p) => show(p, `${p.changeType}: ${p.filePath}`),
  stop: (p) => show(p, `turn over: ${p.toolCallsCount} tool calls, ${p.tokensUsed} tokens, ${seconds(p.duration)}`),
  subagentStop: (p) => show(p, `subagent ${p.subagentName} ${p.success ? 'done' : 'failed'}`),
  permissionRequest: (p) => show(p, `asks for permission: ${p.tool} ${p.command ?? p.path ?? ''}`),
  notification: (p) => show(p, p.message),
  sessionError: (p) => show(p, `error: ${p.error}`),
  rateLimit: (p) => show(p, `quota used up${p.retryAfterMs ? `, try again in ${seconds(p.retryAfterMs)}` : ''}: ${p.error}`),
  sessionEnd: (p) => show(p, `session ended: ${p.reason} after ${seconds(p.duration)}`),
};
for (const [name, handler] of Object.entries(handlers)) {
  connection.onNotification(`autohand.hook.${name}`, (params) => {
    handler(params);
    if (place) writeFileSync(place, String(params.cursor));
  });
}
connection.onClose(() => process.exit(0));
becket.on('error', (error) => {
  console.error(`becket cannot be started: ${error.message}`);
  process.exit(1);
});

connection.listen();
const since = place && existsSync(place) ? Number(readFileSync(place, 'utf8')) : undefined;
const { cursor } = await connection.sendRequest('becket.subscribe', { project, since });
// Also when nothing happens this time, the next start goes on from here.
if (place && !existsSync(place)) writeFileSync(place, String(cursor));
const { items } = await connection.sendRequest('becket.sessions', { project, limit: 3 });
for (const session of items) {
  console.log(`${session.id} (${session.agent}, ${session.status}): ${session.first_prompt ?? 'nothing asked yet'}`);
}
