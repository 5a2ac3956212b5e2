import { entriesIn, fieldsOf, readMap, type App } from '../importing/app.ts';

export const windsurf: App = {
  id: 'windsurf',
  title: 'Windsurf',
  format: 'json',
  isIts: (file) => entriesIn(file['mcpServers']).some(([, entry]) => 'serverUrl' in fieldsOf(entry)),
  read: readMap('mcpServers', {}),
};
