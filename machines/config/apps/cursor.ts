import { login, readMap, type App } from '../importing/app.ts';

export const cursor: App = {
  id: 'cursor',
  title: 'Cursor',
  format: 'json',
  isIts: () => false,
  read: readMap('mcpServers', { auth: login }),
};
