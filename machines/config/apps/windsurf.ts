import { entriesIn, readMap, type App } from '../importing/app.ts';
import { common } from '../importing/words.ts';
import { fieldsOf } from '../../protocol/json.ts';

export const windsurf: App = {
  id: 'windsurf',
  title: 'Windsurf',
  format: 'json',
  words: {
    at: 'mcpServers',
    types: { stdio: null, streamable: null },
    keys: { ...common, url: 'serverUrl', off: 'disabled', forbidden: 'disabledTools' },
  },
  isIts: (file) => entriesIn(file['mcpServers']).some(([, entry]) => 'serverUrl' in fieldsOf(entry)),
  read: readMap('mcpServers', {}),
};
