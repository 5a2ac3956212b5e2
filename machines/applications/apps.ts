/** Applications whose servers are imported, a row each, and how their files are known. */
import { fieldsOf, isObject } from '../protocol/json.ts';
import {
  renamed,
  common,
  entriesIn,
  hasObject,
  translatedEntries,
  serversOf,
  leftOut,
  seconds,
  timeLimitRule,
  type App,
  type Base,
  type Rules,
} from './app.ts';
import { toolsAlone } from '../call/policy/permission.ts';
import type { AppServers } from '../config/parse.ts';
import {
  claudeCode,
  codex,
  continueDev,
  deepchat,
  geminiCli,
  goose,
  libreChat,
  opencode,
  vscode,
} from './own-formats.ts';

const zedRules: Rules = {
  // Earlier versions of Zed keep path, arguments and environment in an object here.
  command: (value) => {
    if (typeof value !== 'object' || value === null) return { put: { command: value } };
    const { path, args, env } = fieldsOf(value);
    return {
      put: { command: path, ...(args !== undefined && { args }), ...(env !== undefined && { env }) },
      changed: 'its path is the command',
    };
  },
  settings: (_, { command, url }) =>
    command === undefined && url === undefined
      ? { why: 'an extension of Zed starts it' }
      : { left: 'settings of an extension' },
  timeout: timeLimitRule('s', 'callTotalMs'),
};

const copilotRules: Rules = {
  type: (value) => ({ put: { type: value === 'local' ? 'stdio' : value } }),
};

const plain = { at: 'mcpServers', types: { stdio: null, streamable: null }, keys: common } as const;

export const apps: readonly App[] = [
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    // The folder of the Microsoft Store package comes first; the usual one may hold an old file.
    places: [
      'LOCALAPPDATA/Packages/Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json',
      'SETTINGS/Claude/claude_desktop_config.json',
    ],
    words: {
      at: 'mcpServers',
      hasNoVariables: true,
      types: { stdio: null },
      keys: { command: 'command', args: 'args', env: 'env' },
    },
  },
  claudeCode,
  {
    id: 'cursor',
    title: 'Cursor',
    places: ['~/.cursor/mcp.json', './.cursor/mcp.json'],
    words: {
      at: 'mcpServers',
      types: { stdio: 'stdio', streamable: null, sse: 'sse' },
      keys: { ...common, envFile: 'envFile' },
    },
    rules: { auth: renamed('oauth') },
  },
  vscode,
  {
    id: 'copilot',
    title: 'GitHub Copilot',
    places: [
      '~/.copilot/mcp-config.json',
      'LOCALAPPDATA/github-copilot/intellij/mcp.json',
      'CONFIG/github-copilot/intellij/mcp.json',
    ],
    words: {
      at: 'mcpServers',
      types: { stdio: 'local', streamable: 'http', sse: 'sse' },
      keys: { ...common, cwd: 'cwd', tools: 'tools' },
      finish: (entry) => ({ tools: ['*'], ...entry }),
      variable: (name) => `\${${name}}`,
    },
    isIts: (file) =>
      entriesIn(file['mcpServers']).some(([, entry]) => fieldsOf(entry)['type'] === 'local') ||
      entriesIn(file['servers']).some(([, entry]) => hasObject(fieldsOf(entry), 'requestInit')),
    read: (file) => {
      const key = hasObject(file, 'mcpServers') ? 'mcpServers' : 'servers';
      return { servers: translatedEntries(file[key], [key], copilotRules), inputs: [] };
    },
  },
  {
    id: 'cline',
    title: 'Cline',
    places: [
      'SETTINGS/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
      '~/.cline/data/settings/cline_mcp_settings.json',
    ],
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
    rules: {
      timeout: timeLimitRule('s', 'callTotalMs'),
      oauth: leftOut('log in with a2c login'),
    },
  },
  {
    id: 'roo',
    title: 'Roo Code',
    places: [
      'SETTINGS/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json',
      './.roo/mcp.json',
    ],
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
    rules: {
      timeout: timeLimitRule('s', 'callTotalMs'),
    },
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    places: ['~/.codeium/windsurf/mcp_config.json'],
    words: {
      ...plain,
      keys: { ...common, url: 'serverUrl', off: 'disabled', forbidden: 'disabledTools' },
    },
    isIts: (file) => entriesIn(file['mcpServers']).some(([, entry]) => 'serverUrl' in fieldsOf(entry)),
  },
  continueDev,
  {
    id: 'zed',
    title: 'Zed',
    places: ['CONFIG/zed/settings.json', 'SETTINGS/Zed/settings.json', './.zed/settings.json'],
    words: {
      ...plain,
      at: 'context_servers',
      hasNoVariables: true,
      keys: {
        ...common,
        off: () => ({ enabled: false }),
        timeoutMs: (value) => ({ timeout: seconds(value) }),
      },
    },
    isIts: (file) => hasObject(file, 'context_servers'),
    rules: zedRules,
  },
  goose,
  geminiCli,
  codex,
  opencode,
  deepchat,
  {
    id: 'lm-studio',
    title: 'LM Studio',
    places: ['~/.lmstudio/mcp.json'],
    words: { ...plain, hasNoVariables: true },
  },
  {
    id: 'kiro',
    title: 'Kiro',
    places: ['~/.kiro/settings/mcp.json', './.kiro/settings/mcp.json'],
    words: {
      ...plain,
      keys: {
        ...common,
        off: 'disabled',
        forbidden: 'disabledTools',
        approved: (value) => ({ autoApprove: toolsAlone(value) }),
      },
      variable: (name) => `\${${name}}`,
    },
  },
  {
    id: 'junie',
    title: 'Junie',
    places: ['~/.junie/mcp/mcp.json', './.junie/mcp/mcp.json'],
    words: { ...plain, hasNoVariables: true },
  },
  {
    id: 'trae',
    title: 'Trae',
    places: ['SETTINGS/Trae/User/mcp.json', 'SETTINGS/Trae CN/User/mcp.json', './.trae/mcp.json'],
    words: { ...plain, hasNoVariables: true },
  },
  {
    ...geminiCli,
    id: 'qwen',
    title: 'Qwen Code',
    places: ['~/.qwen/settings.json', './.qwen/settings.json'],
  },
  { ...vscode, id: 'visual-studio', title: 'Visual Studio', places: ['~/.mcp.json', './.vs/mcp.json'] },
  libreChat,
];

export interface AppPlace {
  readonly app: string;
  readonly base: Base;
  readonly path: string;
}
export const places: readonly AppPlace[] = apps.flatMap((app) =>
  app.places.map((place) => {
    const [base = '', ...path] = place.split('/');
    return { app: app.id, base: base as Base, path: path.join('/') };
  }),
);

/** `a2c` itself looks for these in a folder, so they do not identify an application. */
const anybodys = new Set(['.mcp.json']);
/** Many programs use these names; only the folder identifies the application. */
const isCommon = (name: string): boolean => /^(mcp|settings|config)\.\w+$/.test(name);
/** By its path, else by a name that is unique to it. */
export const appAt = (file: string): string | undefined => {
  const whole = `/${file.replaceAll('\\', '/').toLowerCase()}`;
  const isAt = (end: string): boolean => !anybodys.has(end) && whole.endsWith(`/${end}`);
  const ends = places.map(({ app, path }) => ({ app, end: path.toLowerCase() }));
  const nameOf = (end: string): string => end.slice(end.lastIndexOf('/') + 1);
  const known =
    ends.find(({ end }) => isAt(end)) ?? ends.find(({ end }) => !isCommon(nameOf(end)) && isAt(nameOf(end)));
  return known?.app;
};
/** Such as `.kiro/settings/mcp.json`; undefined at an unknown place. */
export const placeInProject = (file: string): string | undefined => {
  const path = `/${file.replaceAll('\\', '/')}`;
  const all = places.filter((place) => place.base === '.' && path.endsWith(`/${place.path}`));
  return all.map((place) => place.path).toSorted((a, b) => b.length - a.length)[0];
};

export const appNamed = (id: string): App | undefined => apps.find((app) => app.id === id);

export const appOf = (value: unknown, file = ''): App | undefined => {
  const known = appNamed(appAt(file) ?? '');
  if (known || !isObject(value)) return known;
  return apps.find((app) => app.isIts?.(value));
};
/** `parseConfig` can read it without knowing its application. */
const isPlain = (value: unknown): boolean =>
  !isObject(value) ||
  isObject(value['mcpServers']) ||
  Object.hasOwn(value, 'servers') ||
  (isObject(value['mcp']) && isObject(value['mcp']['servers'])) ||
  Object.hasOwn(value, 'server_parameters') ||
  Object.hasOwn(value, 'command');
/** Only of a file that must be translated before it is a config of ours. */
export const appOfConfig = (value: unknown, file: string): App | undefined =>
  isPlain(value) ? appNamed(appAt(file) ?? '') : appOf(value, file);
export function serversOfConfig(value: unknown, file: string): AppServers | undefined {
  const app = appOfConfig(value, file);
  return app && serversOf(app, value);
}
