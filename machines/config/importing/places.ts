/** Where a path begins: the home folder, the current one, where the platform keeps settings, or `~/.config` everywhere. */
export type Base = 'home' | 'folder' | 'settings' | 'config';
export interface Place {
  readonly app: string;
  readonly base: Base;
  readonly path: string;
  /** On this platform alone. */
  readonly on?: 'win32' | 'unix';
}
const at = (app: string, base: Base, ...paths: readonly string[]): readonly Place[] =>
  paths.map((path) => ({ app, base, path }));

/** Where applications keep the servers of a user, and those of a folder. `settings` is `~/Library/Application Support`, `%APPDATA%` or `~/.config`. */
export const places: readonly Place[] = [
  ...at('claude-desktop', 'settings', 'Claude/claude_desktop_config.json'),
  ...at('claude-code', 'home', '.claude.json'),
  ...at('claude-code', 'folder', '.mcp.json'),
  ...at('cursor', 'home', '.cursor/mcp.json'),
  ...at('cursor', 'folder', '.cursor/mcp.json'),
  ...at('vscode', 'settings', 'Code/User/mcp.json', 'Code/User/settings.json'),
  ...at('vscode', 'settings', 'Code - Insiders/User/mcp.json', 'VSCodium/User/mcp.json'),
  ...at('vscode', 'folder', '.vscode/mcp.json', '.vscode/settings.json'),
  ...at('copilot', 'home', '.copilot/mcp-config.json'),
  ...at('copilot', 'config', 'github-copilot/intellij/mcp.json'),
  ...at(
    'cline',
    'settings',
    'Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
  ),
  ...at('cline', 'home', '.cline/data/settings/cline_mcp_settings.json'),
  ...at('roo', 'settings', 'Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json'),
  ...at('roo', 'folder', '.roo/mcp.json'),
  ...at('windsurf', 'home', '.codeium/windsurf/mcp_config.json'),
  ...at('continue', 'home', '.continue/config.yaml', '.continue/config.json'),
  ...at('continue', 'folder', '.continue/config.yaml'),
  { app: 'zed', base: 'config', path: 'zed/settings.json', on: 'unix' },
  { app: 'zed', base: 'settings', path: 'Zed/settings.json', on: 'win32' },
  ...at('zed', 'folder', '.zed/settings.json'),
  { app: 'goose', base: 'config', path: 'goose/config.yaml', on: 'unix' },
  { app: 'goose', base: 'settings', path: 'Block/goose/config/config.yaml', on: 'win32' },
  ...at('gemini-cli', 'home', '.gemini/settings.json'),
  ...at('gemini-cli', 'folder', '.gemini/settings.json'),
  ...at('codex', 'home', '.codex/config.toml'),
  ...at('codex', 'folder', '.codex/config.toml'),
  ...at('opencode', 'config', 'opencode/opencode.json', 'opencode/opencode.jsonc'),
  ...at('opencode', 'folder', 'opencode.json', 'opencode.jsonc'),
  ...at('deepchat', 'settings', 'DeepChat/mcp-settings.json'),
];

/** What `a2c` looks for in a folder by itself: whose it is says what it holds. */
const anybodys = new Set(['.mcp.json']);
/** Names that many programs give a file: only with its folder one says whose it is. */
const isCommon = (name: string): boolean => /^(mcp|settings|config)\.\w+$/.test(name);
/** The application that keeps its servers in a file of this name and folder, or of a name that only it has. */
export const appAt = (file: string): string | undefined => {
  const path = `/${file.replaceAll('\\', '/').toLowerCase()}`;
  const endOf = (place: Place, parts: number): string =>
    place.path.toLowerCase().split('/').slice(-parts).join('/');
  const isAt = (end: string): boolean => !anybodys.has(end) && path.endsWith(`/${end}`);
  const known =
    places.find((place) => isAt(endOf(place, 2))) ??
    places.find((place) => !isCommon(endOf(place, 1)) && isAt(endOf(place, 1)));
  return known?.app;
};
