// An agent's client: connects over stdio or to a URL, asks everything once, prints one line of JSON.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

// Over HTTP nobody knows where the agent works, so it says so.
const [url, token, project] = process.argv.slice(2);
const transport = url
  ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } })
  : new StdioClientTransport({ command: process.env.BECKET, args: ['mcp'], env: process.env });
const client = new Client({ name: 'agent', version: '1.0.0' });
await client.connect(transport);

const call = (name, args) => client.callTool({ name, arguments: args });
const answers = {
  server: client.getServerVersion(),
  instructions: client.getInstructions(),
  tools: (await client.listTools()).tools,
  resources: (await client.listResources()).resources,
  prompts: (await client.listPrompts()).prompts,
  ping: await client.ping(),
  search: await call('search', { query: 'parser' }),
  sessions: await call('sessions', {}),
  activity: await call('activity', { tool: 'Bash' }),
  context: await call('context', { task: 'work on the parser', files: ['a.rs'] }),
  remembered: await call('remember', { text: 'The parser is generated: change grammar.txt and run make.', files: ['a.rs'], project }),
  memories: await call('memories', { project }),
  wrong: await call('search', {}),
  unknown: await call('nothing', {}).catch((error) => ({ code: error.code })),
};
console.log(JSON.stringify(answers));
if (transport.terminateSession) await transport.terminateSession();
await client.close();
