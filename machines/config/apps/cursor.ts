import { as, readMap, type App } from '../importing/app.ts';
import { common } from '../importing/words.ts';

export const cursor: App = {
  id: 'cursor',
  title: 'Cursor',
  format: 'json',
  words: {
    at: 'mcpServers',
    types: { stdio: 'stdio', streamable: null, sse: 'sse' },
    keys: { ...common, envFile: 'envFile' },
  },
  isIts: () => false,
  read: readMap('mcpServers', { auth: as('oauth') }),
};
