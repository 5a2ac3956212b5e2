import {
  as,
  entriesIn,
  fieldsOf,
  login,
  mapped,
  timed,
  type App,
  type AppServer,
  type Rules,
} from '../importing/app.ts';
import { common } from '../importing/words.ts';

const rules: Rules = {
  type: (value) => {
    if (value === 'local') return { put: { type: 'stdio' } };
    return { put: { type: value === 'remote' ? 'http' : value } };
  },
  command: (value) => {
    if (!Array.isArray(value)) return { put: { command: value } };
    const [command, ...args] = value as unknown[];
    return { put: { command, args } };
  },
  environment: as('env'),
  timeout: timed('ms', 'listMs'),
  oauth: login,
};
/** `{env:NAME}` is a placeholder there; `{file:…}` is none here. */
const filledIn = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replaceAll(/\{env:([^{}\s]+)\}/g, '${env:$1}');
  if (Array.isArray(value)) return value.map(filledIn);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filledIn(each)]));
};
const noted = (server: AppServer, before: unknown): AppServer => {
  const text = JSON.stringify(before) ?? '';
  const changed = text.includes('{env:') ? ['{env:NAME} is ${env:NAME}'] : [];
  const left = text.includes('{file:') ? ['{file:…} is passed on as it stands: no file is read'] : [];
  return { ...server, changed: [...server.changed, ...changed], left: [...server.left, ...left] };
};
/** Beside the servers, `"server_tool": false` hides a tool, and `"server_*": false` all of them. */
const hiding =
  (tools: unknown) =>
  (server: AppServer): AppServer => {
    const mine = entriesIn(tools).flatMap(([name, on]) =>
      on === false && name.startsWith(`${server.name}_`) ? [name.slice(server.name.length + 1)] : [],
    );
    const isAll = mine.includes('*') || fieldsOf(tools)[`${server.name}*`] === false;
    if (mine.length === 0 && !isAll) return server;
    const more = isAll ? { disabled: true } : { forbidden_tools: mine };
    const changed = [...server.changed, isAll ? 'disabled: tools hides all of it' : 'tools: forbidden_tools'];
    return { ...server, entry: { ...fieldsOf(server.entry), ...more }, changed };
  };

export const opencode: App = {
  id: 'opencode',
  title: 'opencode',
  format: 'json',
  words: {
    at: 'mcp',
    around: { $schema: 'https://opencode.ai/config.json' },
    types: { stdio: 'local', streamable: 'remote' },
    keys: {
      ...common,
      command: (command) => ({ command: [command] }),
      args: (args) => ({ args }),
      env: 'environment',
      off: () => ({ enabled: false }),
    },
    finish: ({ args, ...entry }) =>
      Array.isArray(entry['command']) && Array.isArray(args)
        ? { ...entry, command: [...(entry['command'] as unknown[]), ...(args as unknown[])] }
        : entry,
    variable: (name) => `{env:${name}}`,
  },
  isIts: (file) =>
    entriesIn(file['mcp']).some(([, entry]) => ['local', 'remote'].includes(String(fieldsOf(entry)['type']))),
  read: (file) => ({
    servers: mapped(filledIn(file['mcp']), ['mcp'], rules)
      .map((server) => noted(server, fieldsOf(file['mcp'])[server.name]))
      .map(hiding(file['tools'])),
    inputs: [],
  }),
};
