// An editor's client: connects to `becket rpc` or to a daemon's WebSocket, subscribes, prints every notification as a line
// of JSON, asks when told of the end of a turn, and leaves at the end of the session.
import { spawn } from 'node:child_process';
import { AbstractMessageReader, AbstractMessageWriter, createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';

const [url, token] = process.argv.slice(2);
const { connection, leave } = url ? await overSocket() : overPipes();
const print = (value) => console.log(JSON.stringify(value));

function overPipes() {
  const becket = spawn(process.env.BECKET, ['rpc'], { stdio: ['pipe', 'pipe', 'inherit'] });
  becket.on('exit', (code) => process.exit(code));
  const connection = createMessageConnection(new StreamMessageReader(becket.stdout), new StreamMessageWriter(becket.stdin));
  return { connection, leave: () => becket.stdin.end() };
}

async function overSocket() {
  const socket = new WebSocket(url, { headers: { Authorization: `Bearer ${token}` } });
  await new Promise((opened, failed) => { socket.onopen = opened; socket.onerror = failed; });
  socket.onclose = () => process.exit(0);
  class Reader extends AbstractMessageReader {
    listen(callback) {
      socket.onmessage = (message) => callback(JSON.parse(message.data));
      return { dispose() {} };
    }
  }
  class Writer extends AbstractMessageWriter {
    async write(message) { socket.send(JSON.stringify(message)); }
    end() {}
  }
  return { connection: createMessageConnection(new Reader(), new Writer()), leave: () => socket.close() };
}

connection.onNotification((method, params) => {
  print({ method, params });
  if (method === 'autohand.hook.postResponse') ask();
  if (method === 'autohand.hook.sessionEnd') leave();
});
connection.listen();

const refusal = (error) => ({ code: error.code, message: error.message });

async function ask() {
  const [status, sessions, found, hooks] = await Promise.all([
    connection.sendRequest('becket.status'),
    connection.sendRequest('becket.sessions', { limit: 1 }),
    connection.sendRequest('becket.search', { query: 'parser' }),
    connection.sendRequest('becket.hooks.list').catch(refusal),
  ]);
  const tried = await connection.sendRequest('becket.hooks.test', { name: 'no-force', input: { command: 'git push --force' } }).catch(refusal);
  const refused = await connection.sendRequest('becket.session', { id: 'nobody' }).catch(refusal);
  const activity = await connection.sendRequest('becket.activity', { tool: 'Bash' });
  // Switched off and on again, with a look at it each time.
  const switched = async (word) => {
    await connection.sendRequest(`becket.hooks.${word}`, { name: 'no-force' });
    return connection.sendRequest('becket.hooks.list');
  };
  const off = await switched('disable');
  const on = await switched('enable');
  const pending = await connection.sendRequest('becket.permissions.pending');
  const decided = await connection.sendRequest('becket.permissions.decide', { id: 'nobody', decision: 'deny' }).catch(refusal);
  const { subscription } = await connection.sendRequest('becket.subscribe', { events: ['pre-compact'] });
  const unsubscribed = [];
  for (let i = 0; i < 2; i++) unsubscribed.push(await connection.sendRequest('becket.unsubscribe', { subscription }));
  print({ status, sessions, found, hooks, tried, refusal: refused, activity, off, on, pending, decided, unsubscribed });
}

print(await connection.sendRequest('becket.subscribe', { since: 0 }));
