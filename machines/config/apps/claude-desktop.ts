import { readMap, type App } from '../importing/app.ts';

export const claudeDesktop: App = {
  id: 'claude-desktop',
  title: 'Claude Desktop',
  format: 'json',
  isIts: () => false,
  read: readMap('mcpServers', {}),
};
