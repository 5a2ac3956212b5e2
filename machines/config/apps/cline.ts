import { dropped, leftOut, readMap, type App } from '../importing/app.ts';
import { common, seconds, toolsAlone } from '../importing/words.ts';
import { timed } from '../importing/app.ts';

export const cline: App = {
  id: 'cline',
  title: 'Cline',
  format: 'json',
  words: {
    at: 'mcpServers',
    types: { stdio: 'stdio', streamable: 'streamableHttp', sse: 'sse' },
    keys: {
      ...common,
      cwd: 'cwd',
      off: 'disabled',
      approved: (value) => ({ autoApprove: toolsAlone(value) }),
      timeoutMs: (value) => ({ timeout: seconds(value) }),
    },
  },
  isIts: () => false,
  read: readMap('mcpServers', {
    timeout: timed('s', 'callTotalMs'),
    remoteConfigured: dropped,
    metadata: dropped,
    oauth: leftOut('log in with a2c login'),
  }),
};
