import {
  dropped,
  hasObject,
  reworded,
  timed,
  withTexts,
  type App,
  type AppServer,
  type Rules,
} from '../importing/app.ts';
import { common } from '../importing/words.ts';
import { fieldsOf, type Fields } from '../../protocol/json.ts';

const secret = /\$\{\{\s*(?:secrets|inputs)\.([^\s}]+)\s*\}\}/g;
/** Its own placeholders as ours, in texts at any depth; `ids` hears which there are. */
const filledIn = (value: unknown, ids: Set<string>): unknown =>
  withTexts(value, (text) =>
    text.replaceAll(secret, (_, id: string) => {
      ids.add(id);
      return `\${input:${id}}`;
    }),
  );

const rules: Rules = {
  name: dropped,
  requestOptions: (value) => {
    const others = Object.keys(fieldsOf(value)).filter((key) => key !== 'headers');
    return {
      ...(hasObject(fieldsOf(value), 'headers') && {
        put: { headers: fieldsOf(value)['headers'] },
        changed: 'its headers are headers',
      }),
      ...(others.length > 0 && { left: others.join(', ') }),
    };
  },
  apiKey: (value) => ({
    put: { headers: { Authorization: `Bearer ${String(value)}` } },
    changed: 'a header Authorization',
  }),
  connectionTimeout: timed('ms', 'connectMs'),
  faviconUrl: dropped,
  sourceFile: dropped,
  serverName: dropped,
  uses: () => ({ why: 'it stands in the hub of Continue, not in this file' }),
};
const listOf = (file: Fields): readonly [string, readonly unknown[]] => {
  if (Array.isArray(file['mcpServers'])) return ['mcpServers', file['mcpServers']];
  const old = fieldsOf(file['experimental'])['modelContextProtocolServers'];
  return ['experimental.modelContextProtocolServers', Array.isArray(old) ? old : []];
};

export const continueDev: App = {
  id: 'continue',
  title: 'Continue',
  format: 'yaml',
  words: {
    at: 'mcpServers',
    isList: true,
    around: { name: 'Servers of a2c', version: '1.0.0', schema: 'v1' },
    types: { stdio: 'stdio', streamable: 'streamable-http', sse: 'sse' },
    keys: { ...common, cwd: 'cwd', headers: (headers) => ({ requestOptions: { headers } }) },
    variable: (name) => `\${{ secrets.${name} }}`,
  },
  isIts: (file) => listOf(file)[1].length > 0,
  read: (file) => {
    const ids = new Set<string>();
    const [key, list] = listOf(file);
    const servers = list.map((entry, index): AppServer => {
      const { name } = fieldsOf(entry);
      const called = typeof name === 'string' ? name : `continue-${index + 1}`;
      const mine = new Set<string>();
      const made = reworded(called, [...key.split('.'), index], filledIn(entry, mine), rules);
      for (const id of mine) ids.add(id);
      const asked = [...mine].map((id) => `\${{ secrets.${id} }} is the input ${id}`);
      return { ...made, changed: [...made.changed, ...asked] };
    });
    const inputs = [...ids].map((id) => ({
      type: 'promptString',
      id,
      description: `Continue: ${id}`,
      password: true,
    }));
    return { servers, inputs };
  },
};
