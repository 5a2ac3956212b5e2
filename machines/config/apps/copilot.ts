import { dropped, entriesIn, hasObject, mapped, type App, type Rules } from '../importing/app.ts';
import { common } from '../importing/words.ts';
import { fieldsOf } from '../../protocol/json.ts';

const rules: Rules = {
  type: (value) => ({ put: { type: value === 'local' ? 'stdio' : value } }),
  filterMapping: dropped,
};

export const copilot: App = {
  id: 'copilot',
  title: 'GitHub Copilot',
  format: 'json',
  words: {
    at: 'mcpServers',
    types: { stdio: 'local', streamable: 'http', sse: 'sse' },
    keys: { ...common, cwd: 'cwd', tools: 'tools' },
    finish: (entry) => ({ tools: ['*'], ...entry }),
    variable: (name) => `\${${name}}`,
  },
  isIts: (file) =>
    entriesIn(file['mcpServers']).some(([, entry]) => fieldsOf(entry)['type'] === 'local') ||
    entriesIn(file['servers']).some(([, entry]) => hasObject(fieldsOf(entry), 'requestInit')),
  read: (file) => {
    const key = hasObject(file, 'mcpServers') ? 'mcpServers' : 'servers';
    return { servers: mapped(file[key], [key], rules), inputs: [] };
  },
};
