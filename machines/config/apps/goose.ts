import {
  as,
  dropped,
  entriesIn,
  hasObject,
  mapped,
  textsIn,
  timed,
  type App,
  type Rules,
} from '../importing/app.ts';
import { seconds } from '../importing/words.ts';
import { fieldsOf, type Fields } from '../../protocol/json.ts';

const kinds: Readonly<Record<string, string>> = { stdio: 'stdio', sse: 'sse', streamable_http: 'http' };
/** Kept in its own keyring, where nobody else reads them. */
const secretsOf = (entry: Fields): readonly string[] =>
  textsIn(entry['env_keys']).filter((key) => !Object.hasOwn(fieldsOf(entry['envs']), key));

const rules: Rules = {
  name: dropped,
  display_name: dropped,
  bundled: dropped,
  type: (value) => {
    const kind = typeof value === 'string' && Object.hasOwn(kinds, value) ? kinds[value] : undefined;
    return kind === undefined ? { why: 'it is a part of Goose itself' } : { put: { type: kind } };
  },
  cmd: as('command'),
  envs: as('env'),
  env_keys: (_, entry) => {
    const keys = secretsOf(entry);
    if (keys.length === 0) return {};
    return {
      put: { env: Object.fromEntries(keys.map((key) => [key, `\${input:${key}}`])) },
      changed: `what Goose keeps in its keyring is asked for: ${keys.join(', ')}`,
    };
  },
  uri: as('url'),
  timeout: timed('s', 'callTotalMs'),
  // An empty list means all of them.
  available_tools: (value) =>
    Array.isArray(value) && value.length === 0 ? {} : { put: { available_tools: value } },
};

export const goose: App = {
  id: 'goose',
  title: 'Goose',
  format: 'yaml',
  words: {
    at: 'extensions',
    types: { stdio: 'stdio', streamable: 'streamable_http', sse: 'sse' },
    keys: {
      command: 'cmd',
      args: 'args',
      env: 'envs',
      url: 'uri',
      headers: 'headers',
      off: () => ({ enabled: false }),
      tools: 'available_tools',
      timeoutMs: (value) => ({ timeout: seconds(value) }),
    },
    finish: (entry, name) => ({ name, description: '', enabled: true, ...entry }),
    variable: (name) => `\${${name}}`,
  },
  isIts: (file) =>
    entriesIn(file['extensions']).some(([, entry]) =>
      ['enabled', 'bundled', 'cmd', 'uri'].some((key) => key in fieldsOf(entry)),
    ) && hasObject(file, 'extensions'),
  read: (file) => {
    const keys = entriesIn(file['extensions']).flatMap(([, entry]) => secretsOf(fieldsOf(entry)));
    return {
      servers: mapped(file['extensions'], ['extensions'], rules),
      inputs: [...new Set(keys)].map((id) => ({
        type: 'promptString',
        id,
        description: `Goose: ${id}`,
        password: true,
      })),
    };
  },
};
