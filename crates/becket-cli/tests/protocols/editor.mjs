// An editor's client: starts `becket rpc`, subscribes, prints every notification as a line of JSON, asks when told
// of the end of a turn, and leaves at the end of the session.
import { spawn } from 'node:child_process';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';

const becket = spawn(process.env.BECKET, ['rpc'], { stdio: ['pipe', 'pipe', 'inherit'] });
const connection = createMessageConnection(new StreamMessageReader(becket.stdout), new StreamMessageWriter(becket.stdin));
const print = (value) => console.log(JSON.stringify(value));

connection.onNotification((method, params) => {
  print({ method, params });
  if (method === 'autohand.hook.postResponse') ask();
  if (method === 'autohand.hook.sessionEnd') becket.stdin.end();
});
becket.on('exit', (code) => process.exit(code));
connection.listen();

async function ask() {
  const [status, sessions, found, hooks] = await Promise.all([
    connection.sendRequest('becket.status'),
    connection.sendRequest('becket.sessions', { limit: 1 }),
    connection.sendRequest('becket.search', { query: 'parser' }),
    connection.sendRequest('becket.hooks.list'),
  ]);
  const tried = await connection.sendRequest('becket.hooks.test', { name: 'no-force', input: { command: 'git push --force' } });
  const refusal = await connection.sendRequest('becket.session', { id: 'nobody' }).catch((error) => ({ code: error.code, message: error.message }));
  print({ status, sessions, found, hooks, tried, refusal });
}

print(await connection.sendRequest('becket.subscribe', { since: 0 }));
