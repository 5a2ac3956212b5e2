import { dropped, hasObject, readMap, timed, type App, type Rules } from '../importing/app.ts';
import { common, seconds } from '../importing/words.ts';
import { fieldsOf } from '../../protocol/json.ts';

const rules: Rules = {
  source: dropped,
  // Earlier versions keep the whole launch config under this key.
  command: (value) => {
    if (typeof value !== 'object' || value === null) return { put: { command: value } };
    const { path, args, env } = fieldsOf(value);
    return {
      put: { command: path, ...(args !== undefined && { args }), ...(env !== undefined && { env }) },
      changed: 'its path is the command',
    };
  },
  settings: (_, { command, url }) =>
    command === undefined && url === undefined
      ? { why: 'an extension of Zed starts it' }
      : { left: 'settings of an extension' },
  timeout: timed('s', 'callTotalMs'),
};

export const zed: App = {
  id: 'zed',
  title: 'Zed',
  format: 'json',
  words: {
    at: 'context_servers',
    hasNoVariables: true,
    types: { stdio: null, streamable: null },
    keys: { ...common, off: () => ({ enabled: false }), timeoutMs: (value) => ({ timeout: seconds(value) }) },
  },
  isIts: (file) => hasObject(file, 'context_servers'),
  read: readMap('context_servers', rules),
};
