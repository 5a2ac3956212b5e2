import { dropped, leftOut, readMap, timed, type App } from '../importing/app.ts';
import { common, seconds } from '../importing/words.ts';

export const roo: App = {
  id: 'roo',
  title: 'Roo Code',
  format: 'json',
  words: {
    at: 'mcpServers',
    types: { stdio: 'stdio', streamable: 'streamable-http', sse: 'sse' },
    keys: {
      ...common,
      cwd: 'cwd',
      off: 'disabled',
      forbidden: 'disabledTools',
      timeoutMs: (value) => ({ timeout: seconds(value) }),
    },
  },
  isIts: () => false,
  read: readMap('mcpServers', {
    timeout: timed('s', 'callTotalMs'),
    watchPaths: leftOut('no files are watched'),
    disabledForPrompts: dropped,
  }),
};
