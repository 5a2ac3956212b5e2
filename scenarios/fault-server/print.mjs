import { serverWords } from './vocabulary.mjs';

export const help = `An MCP server over stdio or HTTP that misbehaves as it is told.

  fault-server.mjs '<config as JSON>'     fault-server.mjs --file FILE
  fault-server.mjs --http [--port N] [--sse] …   at a URL, which it prints as one line of JSON
  fault-server.mjs --list [--json]        the faults it can do
  fault-server.mjs --help

The config, of which every key may be left out:

  name    "fault-server"
  tools   {"read":{"takes":50,"answers":{"content":[]},"changes":true}}   default {"echo":{}}
          takes: ms; answers: a CallToolResult, by default its argument \`text\` or its name;
          changes: it says list_changed before it answers; progressEveryMs: until then it tells how far
          it is to a client that gave a progressToken; asks: {"method":"ping","params":{}}, what it asks
          the client meanwhile; inputSchema, outputSchema: as it lists them
  resources   ["note://1"]   URIs of what it has and lets watch; window:// has a text, dpe:// a document
  faults  [{"fault":"proc.exit","code":3,"when":"call","tool":"read","afterMs":100,"times":1,"p":0.5}]
          when: start, initialize, ready, list, call, read, stdinEnd or sigterm, as --list has it;
          tool: only calls of this tool; afterMs: so long after that; from: from the n-th such moment on;
          times: how often (default: always); p: with this probability; inAll: from and times count over
          all starts; after: a fault of this list that has happened before, in any start
  seed    1             what p draws from
  starts  FILE          where it counts its starts, one line each
  later   {"2":{"faults":[]}}   from its n-th start on it behaves like this; the rest as at first
  log     FILE          what it got and did, one JSON object per line
  http    {"port":0,"kind":"streamable"}   instead of stdio; "sse": as in MCP 2024-11-05. Each initialize is
          a start with its own faults and needs no file to be counted; port 0 is any that is free
  lastWords   "…"      what it writes to stderr when it exits by itself
  lifeMs  120000        it and its grandchildren live at most so long, whatever they ignore

It ends with code 64 when its config is wrong, and with 70 when lifeMs is over.
`;

const shown = ([name, { type, default: usual, oneOf, means }]) =>
  `      ${name} (${oneOf ? oneOf.join(' | ') : type}, default ${JSON.stringify(usual)}): ${means}\n`;

export const list = () =>
  serverWords
    .map(
      ({ fault, means, when, params, over }) =>
        `${fault}  ${means}\n      when: ${when.join(', ')}${over ? `; only over ${over}` : ''}\n${Object.entries(params).map(shown).join('')}`,
    )
    .join('\n');
export const listData = () => `${JSON.stringify(serverWords, null, 2)}\n`;
