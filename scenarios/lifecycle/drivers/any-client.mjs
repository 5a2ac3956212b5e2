/**
 * Drives MCP clients of other libraries, bare or with our transports: `node any-client.mjs CLIENT bare|supervised`. Each
 * client is written as its manual has it. The folder in `A2C_CLIENTS` has those that are no packages of ours.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createSupervisor } from 'a2c-actors/transport';
import { drive, told } from './lines.mjs';

const [, , name, how] = process.argv;
const isSupervised = how === 'supervised';
const supervisor = createSupervisor();
/** Imports a package from the folder of the clients. */
const peer = async (specifier) => {
  const { resolve } = createRequire(join(process.env.A2C_CLIENTS ?? '.', 'package.json'));
  const found = await import(pathToFileURL(resolve(specifier)).href);
  return { ...found.default, ...found };
};
const identity = { name: 'judged', version: '1.0.0' };
const supervised = (server, options) => {
  const { url, ...command } = server;
  return supervisor.supervised(url ?? command, options);
};
const requestOptions = ({ timeoutMs, idleMs, signal }) => ({
  signal,
  ...(timeoutMs && { timeout: timeoutMs }),
  ...(idleMs && { timeout: idleMs, resetTimeoutOnProgress: true, onprogress: () => {} }),
});

/** Makes connections by one library: `open` resolves with the functions of one server. */
const libraries = {
  sdk1: async () => {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    const { StreamableHTTPClientTransport } =
      await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    return async (server, options) => {
      const bare = () =>
        server.url
          ? new StreamableHTTPClientTransport(new URL(server.url))
          : new StdioClientTransport({ ...server, stderr: 'ignore' });
      const client = new Client(identity);
      await client.connect(isSupervised ? supervised(server, options) : bare());
      return {
        call: (order) =>
          client.callTool({ name: order.tool, arguments: order.args }, undefined, requestOptions(order)),
        tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
        close: () => client.close(),
      };
    };
  },
  sdk2: async () => {
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    return async (server, options) => {
      const bare = () =>
        server.url
          ? new StreamableHTTPClientTransport(new URL(server.url))
          : new StdioClientTransport({ ...server, stderr: 'ignore' });
      const client = new Client(identity);
      await client.connect(isSupervised ? supervised(server, options) : bare());
      return {
        call: (order) => client.callTool({ name: order.tool, arguments: order.args }, requestOptions(order)),
        tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
        close: () => client.close(),
      };
    };
  },
  'ai-sdk': async () => {
    const { createMCPClient } = await peer('@ai-sdk/mcp');
    const { Experimental_StdioMCPTransport: Stdio } = await peer('@ai-sdk/mcp/mcp-stdio');
    return async (server, options) => {
      const bare = () =>
        server.url ? { type: 'http', url: server.url } : new Stdio({ ...server, stderr: 'ignore' });
      const client = await createMCPClient({
        transport: isSupervised ? supervised(server, options) : bare(),
      });
      const tools = await client.tools();
      return {
        call: ({ tool, args, signal }) =>
          tools[tool].execute(args, { toolCallId: 'x', messages: [], abortSignal: signal }),
        tools: async () => Object.keys(await client.tools()),
        close: () => client.close(),
      };
    };
  },
  langchain: async () => {
    const { loadMcpTools, MultiServerMCPClient } = await peer('@langchain/mcp-adapters');
    const { Client } = await peer('@modelcontextprotocol/sdk/client/index.js');
    return async (server, options) => {
      const client = isSupervised ? new Client(identity) : undefined;
      await client?.connect(supervised(server, options));
      const bare = client
        ? undefined
        : new MultiServerMCPClient({
            mcpServers: {
              shaky: server.url ? server : { ...server, transport: 'stdio', stderr: 'ignore' },
            },
          });
      const load = () => (client ? loadMcpTools('shaky', client) : bare.getTools());
      const tools = await load();
      return {
        call: async ({ tool, args, timeoutMs, signal }) => {
          const found = tools.find((each) => each.name === tool);
          const text = await found.invoke(args, { signal, ...(timeoutMs && { timeout: timeoutMs }) });
          return { content: [{ text: typeof text === 'string' ? text : JSON.stringify(text) }] };
        },
        tools: async () => (await load()).map((each) => each.name),
        close: () => (client ?? bare).close(),
      };
    };
  },
  'mcp-use': async () => {
    process.env.MCP_USE_ANONYMIZED_TELEMETRY = 'false';
    const { HttpConnector, MCPClient, MCPSession } = await peer('mcp-use');
    return async (server, options) => {
      const client = new MCPClient({ mcpServers: { shaky: server } });
      const wrapTransport = () => supervised(server, options);
      const session = isSupervised
        ? new MCPSession(new HttpConnector('http://shaky', { wrapTransport }))
        : await client.createSession('shaky');
      if (isSupervised) await session.initialize();
      return {
        call: (order) => session.callTool(order.tool, order.args, requestOptions(order)),
        tools: async () => (await session.listTools()).map((tool) => tool.name),
        close: () => (isSupervised ? session.disconnect() : client.closeAllSessions()),
      };
    };
  },
  'openai-agents': async () => {
    const { MCPServerStdio, MCPServerStreamableHttp } = await peer('@openai/agents');
    const { Client } = await import('@modelcontextprotocol/client');
    /** `MCPServer` of the agents, over a client with a supervised transport. */
    const over = (server, options) => {
      const client = new Client(identity);
      return {
        name: 'shaky',
        cacheToolsList: false,
        connect: () => client.connect(supervised(server, options)),
        close: () => client.close(),
        listTools: async () => (await client.listTools()).tools,
        callTool: async (tool, args) =>
          (await client.callTool({ name: tool, arguments: args ?? {} })).content,
        invalidateToolsCache: async () => {},
      };
    };
    return async (given, options) => {
      const bare = () =>
        given.url
          ? new MCPServerStreamableHttp(given)
          : new MCPServerStdio({ ...given, clientSessionTimeoutSeconds: 60 });
      const server = isSupervised ? over(given, options) : bare();
      await server.connect();
      return {
        call: async ({ tool, args }) => ({ content: await server.callTool(tool, args) }),
        tools: async () => (await server.listTools()).map((tool) => tool.name),
        close: () => server.close(),
      };
    };
  },
};
/** Features of each library that a case may need. */
const features = {
  sdk1: ['timeout', 'cancel', 'http', 'idle'],
  sdk2: ['timeout', 'cancel', 'http', 'idle'],
  'ai-sdk': ['cancel', 'http'],
  langchain: ['timeout', 'cancel', 'http'],
  'mcp-use': ['timeout', 'cancel', 'http', 'idle'],
  'openai-agents': ['http'],
};

const open = await libraries[name]();
const servers = new Map();
drive(
  { name: `${name} ${how}`, can: features[name] },
  {
    start: async ({ servers: given }) => {
      await Promise.all(
        Object.entries(given).map(async ([key, server]) =>
          servers.set(key, await open(server, { name: key, reconnect: { firstMs: 100 } })),
        ),
      );
    },
    call: async (order) => {
      const server = servers.get(order.server);
      if (!server) throw new Error('it has not started');
      return told(await server.call(order));
    },
    tools: async () => ({
      tools: (await Promise.all([...servers.values()].map((server) => server.tools()))).flat(),
    }),
    stop: async () => {
      await Promise.all([...servers.values()].map((server) => server.close()));
      await supervisor.close();
    },
  },
);
