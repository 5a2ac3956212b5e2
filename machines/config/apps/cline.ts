import { as, dropped, fieldsOf, leftOut, readMap, type App } from '../importing/app.ts';
import { timed } from '../importing/app.ts';

export const cline: App = {
  id: 'cline',
  title: 'Cline',
  format: 'json',
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
