import { as, dropped, fieldsOf, leftOut, readMap, type App } from '../importing/app.ts';
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
    transportType: as('type'),
    // Its command line keeps the launch config one level deeper.
    transport: (value) => ({ put: fieldsOf(value), changed: 'its transport is told beside its name' }),
    remoteConfigured: dropped,
    metadata: dropped,
    oauth: leftOut('log in with a2c login'),
  }),
};
