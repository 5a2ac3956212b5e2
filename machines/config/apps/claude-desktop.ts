import { readMap, type App } from '../importing/app.ts';

export const claudeDesktop: App = {
  id: 'claude-desktop',
  title: 'Claude Desktop',
  format: 'json',
  words: {
    hasNoVariables: true,
    at: 'mcpServers',
    types: { stdio: null },
    keys: { command: 'command', args: 'args', env: 'env' },
  },
  isIts: () => false,
  read: readMap('mcpServers', {}),
};
