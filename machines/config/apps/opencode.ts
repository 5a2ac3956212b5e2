import {
  entriesIn,
  mapped,
  switchedOff,
  timed,
  withTexts,
  type App,
  type AppServer,
  type Rules,
} from '../importing/app.ts';
import { common } from '../importing/words.ts';
import { fieldsOf, type Fields } from '../../protocol/json.ts';

const rules: Rules = {
  type: (value) => {
    if (value === 'local') return { put: { type: 'stdio' } };
    return { put: { type: value === 'remote' ? 'http' : value } };
  },
  timeout: timed('ms', 'listMs'),
};
/** `{env:NAME}` is a placeholder there; `{file:…}` is none here. */
const filledIn = (value: unknown): unknown =>
  withTexts(value, (text) => text.replaceAll(/\{env:([^{}\s]+)\}/g, '${env:$1}'));
const noted = (server: AppServer, before: unknown): AppServer => {
  const text = JSON.stringify(before) ?? '';
  const changed = text.includes('{env:') ? ['{env:NAME} is ${env:NAME}'] : [];
  const left = text.includes('{file:') ? ['{file:…} is passed on as it stands: no file is read'] : [];
  return { ...server, changed: [...server.changed, ...changed], left: [...server.left, ...left] };
};
/** Its tools are called so: other characters than these are `_`. */
const prefixOf = (name: string): string => `${name.replaceAll(/[^\w-]/g, '_')}_`;
/**
 * Beside the servers, `"server_tool": false` hides a tool, and `"server_*": false` all of them but those that are `true`. Any other
 * pattern is left: we have none.
 */
const hiding =
  (tools: unknown) =>
  (server: AppServer): AppServer => {
    const prefix = prefixOf(server.name);
    const said = entriesIn(tools).flatMap(([name, on]) =>
      name === '*' || name === `${prefix.slice(0, -1)}*`
        ? [['*', on] as const]
        : name.startsWith(prefix)
          ? [[name.slice(prefix.length), on] as const]
          : [],
    );
    const named = (on: boolean): string[] =>
      said.flatMap(([name, is]) => (is === on && !name.includes('*') ? [name] : []));
    const isAll = said.some(([name, on]) => name === '*' && on === false);
    const patterns = said.filter(([name]) => name !== '*' && name.includes('*')).map(([name]) => name);
    const left = patterns.map((pattern) => `tools: ${pattern} is no name of a tool`);
    const kept = named(true);
    const told = { ...server, left: [...server.left, ...left] };
    const made = (entry: Fields, what: string): AppServer => ({
      ...told,
      entry,
      changed: [...server.changed, what],
    });
    if (isAll && kept.length === 0) return made(switchedOff(server.entry), 'disabled: tools hides all of it');
    if (isAll) return made({ ...fieldsOf(server.entry), tools: kept }, 'tools: all others are hidden');
    const hidden = named(false);
    if (hidden.length === 0) return told;
    return made({ ...fieldsOf(server.entry), forbidden_tools: hidden }, 'tools: forbidden_tools');
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
