import { dropped, leftOut, readMap, timed, type App } from '../importing/app.ts';

export const roo: App = {
  id: 'roo',
  title: 'Roo Code',
  format: 'json',
  isIts: () => false,
  read: readMap('mcpServers', {
    timeout: timed('s', 'callTotalMs'),
    watchPaths: leftOut('no files are watched'),
    disabledForPrompts: dropped,
  }),
};
