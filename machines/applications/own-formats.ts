/** Applications whose config is more complex than a map of servers with other key names. */
import { fieldsOf, type Fields } from '../protocol/json.ts';
import {
  dropped,
  entriesIn,
  hasObject,
  leftOut,
  translatedEntries,
  timeLimitRule,
  common,
  translatedEntry,
  renamed,
  textsIn,
  seconds,
  type App,
  type Rules,
  type Rule,
} from './app.ts';
import { switchedOff, type AppServer } from '../config/parse.ts';
import { withTexts } from '../config/placeholders.ts';

const claudeCodeRules: Rules = {
  timeout: timeLimitRule('ms', 'callTotalMs'),
};
const inProject =
  (folder: string) =>
  (server: AppServer): AppServer => {
    const entry = fieldsOf(server.entry);
    if (typeof entry['command'] !== 'string' || entry['cwd'] !== undefined) return server;
    const changed = [...server.changed, 'cwd: the folder of its project'];
    return { ...server, entry: { ...entry, cwd: folder }, changed };
  };

export const claudeCode: App = {
  id: 'claude-code',
  title: 'Claude Code',
  places: ['~/.claude.json', './.mcp.json'],
  words: {
    at: 'mcpServers',
    types: { stdio: 'stdio', streamable: 'http', sse: 'sse' },
    keys: { ...common, timeoutMs: 'timeout' },
    variable: (name) => `\${${name}}`,
  },
  isIts: (file) => hasObject(file, 'projects'),
  read: (file) => ({
    servers: [
      ...translatedEntries(file['mcpServers'], ['mcpServers'], claudeCodeRules),
      ...entriesIn(file['projects']).flatMap(([folder, project]) =>
        translatedEntries(
          fieldsOf(project)['mcpServers'],
          ['projects', folder, 'mcpServers'],
          claudeCodeRules,
        ).map(inProject(folder)),
      ),
    ],
    inputs: [],
  }),
};

/** Its command is no shell command and cannot run here, so a person is asked. */
const inputOf = (input: unknown): unknown => {
  const { type, id, description } = fieldsOf(input);
  return type === 'command' ? { type: 'promptString', id, description } : input;
};
const noteOf = (input: unknown, n: number): readonly string[] =>
  fieldsOf(input)['type'] === 'command' ? [`inputs[${n}]: its command is not run; somebody is asked`] : [];

export const vscode: App = {
  id: 'vscode',
  title: 'VS Code',
  places: [
    'SETTINGS/Code/User/mcp.json',
    'SETTINGS/Code/User/settings.json',
    'SETTINGS/Code - Insiders/User/mcp.json',
    'SETTINGS/VSCodium/User/mcp.json',
    './.vscode/mcp.json',
    './.vscode/settings.json',
  ],
  words: {
    at: 'servers',
    types: { stdio: 'stdio', streamable: 'http', sse: 'sse' },
    keys: { ...common, cwd: 'cwd', envFile: 'envFile' },
    hasInputs: true,
  },
  isIts: (file) =>
    !hasObject(file, 'mcpServers') &&
    (hasObject(file, 'servers') || hasObject(fieldsOf(file['mcp']), 'servers')),
  read: (file) => {
    // The servers of VS Code are either in `mcp.json` or in the settings of the editor.
    const isOfSettings = hasObject(fieldsOf(file['mcp']), 'servers');
    const holder: Fields = isOfSettings ? fieldsOf(file['mcp']) : file;
    const at = isOfSettings ? ['mcp', 'servers'] : ['servers'];
    const inputs = Array.isArray(holder['inputs']) ? holder['inputs'] : [];
    return {
      servers: translatedEntries(holder['servers'], at, {}),
      inputs: inputs.map(inputOf),
      notes: inputs.flatMap(noteOf),
    };
  },
};

const secret = /\$\{\{\s*(?:secrets|inputs)\.([^\s}]+)\s*\}\}/g;
/** Continue's placeholders at any depth; their names are collected in `ids`. */
const withInputs = (value: unknown, ids: Set<string>): unknown =>
  withTexts(value, (text) =>
    text.replaceAll(secret, (_, id: string) => {
      ids.add(id);
      return `\${input:${id}}`;
    }),
  );

const continueRules: Rules = {
  name: dropped,
  requestOptions: (value) => {
    const others = Object.keys(fieldsOf(value)).filter((key) => key !== 'headers');
    return {
      ...(hasObject(fieldsOf(value), 'headers') && {
        put: { headers: fieldsOf(value)['headers'] },
        changed: 'its headers are headers',
      }),
      ...(others.length > 0 && { left: others.join(', ') }),
    };
  },
  apiKey: (value) => ({
    put: { headers: { Authorization: `Bearer ${String(value)}` } },
    changed: 'a header Authorization',
  }),
  connectionTimeout: timeLimitRule('ms', 'connectMs'),
  uses: () => ({ why: 'it is in the hub of Continue, not in this file' }),
};
const listOf = (file: Fields): readonly [string, readonly unknown[]] => {
  if (Array.isArray(file['mcpServers'])) return ['mcpServers', file['mcpServers']];
  const old = fieldsOf(file['experimental'])['modelContextProtocolServers'];
  return ['experimental.modelContextProtocolServers', Array.isArray(old) ? old : []];
};

export const continueDev: App = {
  id: 'continue',
  title: 'Continue',
  places: ['~/.continue/config.yaml', '~/.continue/config.json', './.continue/config.yaml'],
  format: 'yaml',
  words: {
    at: 'mcpServers',
    isList: true,
    around: { name: 'Servers of a2c', version: '1.0.0', schema: 'v1' },
    types: { stdio: 'stdio', streamable: 'streamable-http', sse: 'sse' },
    keys: { ...common, cwd: 'cwd', headers: (headers) => ({ requestOptions: { headers } }) },
    variable: (name) => `\${{ secrets.${name} }}`,
  },
  isIts: (file) => listOf(file)[1].length > 0,
  read: (file) => {
    const ids = new Set<string>();
    const [key, list] = listOf(file);
    const servers = list.map((entry, index): AppServer => {
      const { name } = fieldsOf(entry);
      const called = typeof name === 'string' ? name : `continue-${index + 1}`;
      const mine = new Set<string>();
      const made = translatedEntry(
        called,
        [...key.split('.'), index],
        withInputs(entry, mine),
        continueRules,
      );
      for (const id of mine) ids.add(id);
      const asked = [...mine].map((id) => `\${{ secrets.${id} }} is the input ${id}`);
      return { ...made, changed: [...made.changed, ...asked] };
    });
    const inputs = [...ids].map((id) => ({
      type: 'promptString',
      id,
      description: `Continue: ${id}`,
      password: true,
    }));
    return { servers, inputs };
  },
};

const kinds: Readonly<Record<string, string>> = { stdio: 'stdio', sse: 'sse', streamable_http: 'http' };
/** Goose keeps them in its keyring, where other programs cannot read them. */
const secretsOf = (entry: Fields): readonly string[] =>
  textsIn(entry['env_keys']).filter((key) => !Object.hasOwn(fieldsOf(entry['envs']), key));

const gooseRules: Rules = {
  name: dropped,
  type: (value) => {
    const kind = typeof value === 'string' && Object.hasOwn(kinds, value) ? kinds[value] : undefined;
    return kind === undefined ? { why: 'it is a part of Goose itself' } : { put: { type: kind } };
  },
  cmd: renamed('command'),
  envs: renamed('env'),
  env_keys: (_, entry) => {
    const keys = secretsOf(entry);
    if (keys.length === 0) return {};
    return {
      put: { env: Object.fromEntries(keys.map((key) => [key, `\${input:${key}}`])) },
      changed: `what Goose keeps in its keyring is asked for: ${keys.join(', ')}`,
    };
  },
  uri: renamed('url'),
  timeout: timeLimitRule('s', 'callTotalMs'),
  // An empty list means that all tools are available.
  available_tools: (value) =>
    Array.isArray(value) && value.length === 0 ? {} : { put: { available_tools: value } },
};

export const goose: App = {
  id: 'goose',
  title: 'Goose',
  places: ['CONFIG/goose/config.yaml', 'SETTINGS/Block/goose/config/config.yaml'],
  format: 'yaml',
  words: {
    at: 'extensions',
    types: { stdio: 'stdio', streamable: 'streamable_http', sse: 'sse' },
    keys: {
      command: 'cmd',
      args: 'args',
      env: 'envs',
      url: 'uri',
      headers: 'headers',
      off: () => ({ enabled: false }),
      tools: 'available_tools',
      timeoutMs: (value) => ({ timeout: seconds(value) }),
    },
    finish: (entry, name) => ({ name, description: '', enabled: true, ...entry }),
    variable: (name) => `\${${name}}`,
  },
  isIts: (file) =>
    entriesIn(file['extensions']).some(([, entry]) =>
      ['enabled', 'bundled', 'cmd', 'uri'].some((key) => key in fieldsOf(entry)),
    ) && hasObject(file, 'extensions'),
  read: (file) => {
    const keys = entriesIn(file['extensions']).flatMap(([, entry]) => secretsOf(fieldsOf(entry)));
    return {
      servers: translatedEntries(file['extensions'], ['extensions'], gooseRules),
      inputs: [...new Set(keys)].map((id) => ({
        type: 'promptString',
        id,
        description: `Goose: ${id}`,
        password: true,
      })),
    };
  },
};

const geminiRules: Rules = {
  // As Gemini CLI does: a URL without a type means the older SSE transport.
  url: (url, { type, transport }) =>
    type === undefined && transport === undefined ? { put: { type: 'sse', url } } : { put: { url } },
  timeout: timeLimitRule('ms', 'callTotalMs'),
  trust: (value) =>
    value === true ? { put: { autoApprove: ['all'] }, changed: 'every tool runs unasked (autoApprove)' } : {},
};
/** Gemini CLI writes `allowed` and `excluded` beside its servers. */
const switched =
  (mcp: unknown) =>
  (server: AppServer): AppServer => {
    const { allowed, excluded } = fieldsOf(mcp);
    const isOff =
      textsIn(excluded).includes(server.name) ||
      (Array.isArray(allowed) && allowed.length > 0 && !textsIn(allowed).includes(server.name));
    if (!isOff) return server;
    const changed = [...server.changed, 'disabled: as mcp.allowed and mcp.excluded say'];
    return { ...server, entry: switchedOff(server.entry), changed };
  };

export const geminiCli: App = {
  id: 'gemini-cli',
  title: 'Gemini CLI',
  places: ['~/.gemini/settings.json', './.gemini/settings.json'],
  words: {
    at: 'mcpServers',
    types: { stdio: null, streamable: null, sse: null },
    keys: {
      ...common,
      cwd: 'cwd',
      url: (url, kind) => (kind === 'sse' ? { url } : { httpUrl: url }),
      tools: 'includeTools',
      forbidden: 'excludeTools',
      timeoutMs: 'timeout',
    },
    variable: (name) => `\${${name}}`,
  },
  isIts: (file) =>
    entriesIn(file['mcpServers']).some(([, entry]) =>
      ['httpUrl', 'trust'].some((key) => key in fieldsOf(entry)),
    ),
  read: (file) => ({
    servers: translatedEntries(file['mcpServers'], ['mcpServers'], geminiRules).map(switched(file['mcp'])),
    inputs: [],
  }),
};

const fromVariable = (name: unknown): string => `\${env:${String(name)}}`;
/** Given as names or as `{name, source}`. */
const passedOn: Rule = (value) => {
  const names = (Array.isArray(value) ? value : []).map((each: unknown) =>
    typeof each === 'string' ? each : fieldsOf(each)['name'],
  );
  return {
    put: { env: Object.fromEntries(names.map((name) => [String(name), fromVariable(name)])) },
    changed: 'these variables stand in env, and have to be set',
  };
};
const approvals: Rule = (value) => {
  const approved = entriesIn(value).flatMap(([tool, how]) =>
    fieldsOf(how)['approval_mode'] === 'approve' ? [tool] : [],
  );
  return approved.length > 0
    ? { put: { alwaysAllow: approved }, changed: 'tools that are approved run unasked' }
    : { left: 'who approves a tool' };
};

/** Codex has separate keys for values that come from variables. */
const withVariables = (entry: Fields): Fields => {
  const passed = entriesIn(entry['env']).filter(([name, value]) => value === fromVariable(name));
  const headers = entriesIn(entry['http_headers']).map(
    ([name, value]): readonly [string, unknown, string | undefined] => [
      name,
      value,
      /^\$\{env:([^}]+)\}$/.exec(String(value))?.[1],
    ],
  );
  const bearer = headers.flatMap(([name, value]) => {
    const variable = /^Bearer \$\{env:([^}]+)\}$/.exec(String(value))?.[1];
    return /^authorization$/i.test(name) && variable !== undefined ? [[name, variable] as const] : [];
  })[0];
  const named = headers.flatMap(([name, , variable]) => (variable === undefined ? [] : [[name, variable]]));
  const { env, http_headers: _, ...rest } = entry;
  const own = entriesIn(env).filter(([name]) => !passed.some(([each]) => each === name));
  const plain = headers.filter(([name, , variable]) => variable === undefined && name !== bearer?.[0]);
  return {
    ...rest,
    ...(own.length > 0 && { env: Object.fromEntries(own) }),
    ...(passed.length > 0 && { env_vars: passed.map(([name]) => name) }),
    ...(bearer && { bearer_token_env_var: bearer[1] }),
    ...(plain.length > 0 && {
      http_headers: Object.fromEntries(plain.map(([name, value]) => [name, value])),
    }),
    ...(named.length > 0 && { env_http_headers: Object.fromEntries(named) }),
  };
};

const codexRules: Rules = {
  env_vars: passedOn,
  http_headers: renamed('headers'),
  bearer_token_env_var: (name) => ({
    put: { headers: { Authorization: `Bearer ${fromVariable(name)}` } },
    changed: 'a header Authorization',
  }),
  env_http_headers: (value) => ({
    put: {
      headers: Object.fromEntries(entriesIn(value).map(([header, name]) => [header, fromVariable(name)])),
    },
    changed: 'headers',
  }),
  disabled_tools: renamed('forbidden_tools'),
  startup_timeout_sec: timeLimitRule('s', 'connectMs'),
  startup_timeout_ms: timeLimitRule('ms', 'connectMs'),
  tool_timeout_sec: timeLimitRule('s', 'callTotalMs'),
  tools: approvals,
  default_tools_approval_mode: (value) =>
    value === 'approve'
      ? { put: { autoApprove: ['all'] }, changed: 'every tool runs unasked (autoApprove)' }
      : { left: 'who approves a tool' },
  scopes: (scopes) => ({ put: { oauth: { scopes } }, changed: 'its login is oauth' }),
};

export const codex: App = {
  id: 'codex',
  title: 'Codex',
  places: ['~/.codex/config.toml', './.codex/config.toml'],
  format: 'toml',
  words: {
    at: 'mcp_servers',
    hasNoVariables: true,
    finish: withVariables,
    types: { stdio: null, streamable: null },
    keys: {
      ...common,
      cwd: 'cwd',
      headers: 'http_headers',
      off: () => ({ enabled: false }),
      tools: 'enabled_tools',
      forbidden: 'disabled_tools',
      timeoutMs: (value) => ({ tool_timeout_sec: seconds(value) }),
    },
  },
  isIts: (file) => hasObject(file, 'mcp_servers'),
  rules: codexRules,
};

const opencodeRules: Rules = {
  type: (value) => {
    if (value === 'local') return { put: { type: 'stdio' } };
    return { put: { type: value === 'remote' ? 'http' : value } };
  },
  timeout: timeLimitRule('ms', 'listMs'),
};
/** `{env:NAME}` of OpenCode; `{file:…}` is not supported. */
const withEnvironment = (value: unknown): unknown =>
  withTexts(value, (text) => text.replaceAll(/\{env:([^{}\s]+)\}/g, '${env:$1}'));
const noted = (server: AppServer, before: unknown): AppServer => {
  const text = JSON.stringify(before) ?? '';
  const changed = text.includes('{env:') ? ['{env:NAME} is ${env:NAME}'] : [];
  const left = text.includes('{file:') ? ['{file:…} is passed on as it stands: no file is read'] : [];
  return { ...server, changed: [...server.changed, ...changed], left: [...server.left, ...left] };
};
/** OpenCode replaces invalid characters by `_`. */
const prefixOf = (name: string): string => `${name.replaceAll(/[^\w-]/g, '_')}_`;
/** `"server_tool": false` hides a tool, `"server_*": false` all but those set to `true`; others are reported. */
const hiding =
  (tools: unknown) =>
  (server: AppServer): AppServer => {
    const prefix = prefixOf(server.name);
    const said = entriesIn(tools).flatMap(([name, on]) =>
      name === '*' || name === `${prefix.slice(0, -1)}*`
        ? [['*', on] as const]
        : name.startsWith(prefix)
          ? [[name.slice(prefix.length), on] as const]
          : [],
    );
    const named = (on: boolean): string[] =>
      said.flatMap(([name, is]) => (is === on && !name.includes('*') ? [name] : []));
    const isAll = said.some(([name, on]) => name === '*' && on === false);
    const patterns = said.filter(([name]) => name !== '*' && name.includes('*')).map(([name]) => name);
    const left = patterns.map((pattern) => `tools: ${pattern} is no name of a tool`);
    const kept = named(true);
    const told = { ...server, left: [...server.left, ...left] };
    const made = (entry: Fields, what: string): AppServer => ({
      ...told,
      entry,
      changed: [...server.changed, what],
    });
    if (isAll && kept.length === 0) return made(switchedOff(server.entry), 'disabled: tools hides all of it');
    if (isAll) return made({ ...fieldsOf(server.entry), tools: kept }, 'tools: all others are hidden');
    const hidden = named(false);
    if (hidden.length === 0) return told;
    return made({ ...fieldsOf(server.entry), forbidden_tools: hidden }, 'tools: forbidden_tools');
  };

export const opencode: App = {
  id: 'opencode',
  title: 'opencode',
  places: [
    'CONFIG/opencode/opencode.json',
    'CONFIG/opencode/opencode.jsonc',
    './opencode.json',
    './opencode.jsonc',
  ],
  words: {
    at: 'mcp',
    around: { $schema: 'https://opencode.ai/config.json' },
    types: { stdio: 'local', streamable: 'remote' },
    keys: {
      ...common,
      command: (command) => ({ command: [command] }),
      args: (args) => ({ args }),
      env: 'environment',
      off: () => ({ enabled: false }),
    },
    finish: ({ args, ...entry }) =>
      Array.isArray(entry['command']) && Array.isArray(args)
        ? { ...entry, command: [...(entry['command'] as unknown[]), ...(args as unknown[])] }
        : entry,
    variable: (name) => `{env:${name}}`,
  },
  isIts: (file) =>
    entriesIn(file['mcp']).some(([, entry]) => ['local', 'remote'].includes(String(fieldsOf(entry)['type']))),
  read: (file) => ({
    servers: translatedEntries(withEnvironment(file['mcp']), ['mcp'], opencodeRules)
      .map((server) => noted(server, fieldsOf(file['mcp'])[server.name]))
      .map(hiding(file['tools'])),
    inputs: [],
  }),
};

const deepchatRules: Rules = {
  type: (value) => ({
    put: { type: value },
    ...(value === 'inmemory' && { why: 'it is a part of DeepChat itself' }),
  }),
  customNpmRegistry: (value) =>
    value === '' || value === null
      ? {}
      : { put: { a2c: { npmRegistry: value } }, changed: 'its registry is a2c.npmRegistry' },
  authorization: leftOut('log in with a2c login'),
};
const started =
  (file: Readonly<Record<string, unknown>>) =>
  (server: AppServer): AppServer => {
    const defaults =
      typeof file['defaultServer'] === 'string' ? [file['defaultServer']] : file['defaultServers'];
    const entry = fieldsOf(server.entry);
    if (!Array.isArray(defaults) || textsIn(defaults).includes(server.name)) return server;
    if (entry['disable'] === true || entry['enabled'] === false) return server;
    const changed = [...server.changed, 'it is no default server: a2c.autoConnect is false'];
    return {
      ...server,
      entry: { ...entry, a2c: { autoConnect: false, ...fieldsOf(entry['a2c']) } },
      changed,
    };
  };
const offThere = (server: AppServer): AppServer => {
  const changed = [...server.changed, 'disabled: MCP is switched off in DeepChat'];
  return { ...server, entry: switchedOff(server.entry), changed };
};

/** DeepChat requires these fields. */
const shownThere = { descriptions: '', icons: '' };

export const deepchat: App = {
  id: 'deepchat',
  title: 'DeepChat',
  places: ['SETTINGS/DeepChat/mcp-settings.json'],
  words: {
    at: 'mcpServers',
    types: { stdio: 'stdio', streamable: 'http', sse: 'sse' },
    keys: {
      ...common,
      url: 'baseUrl',
      headers: 'customHeaders',
      off: 'disable',
      approved: 'autoApprove',
    },
    finish: (entry) => ({
      command: '',
      args: [],
      env: {},
      ...shownThere,
      autoApprove: [],
      disable: false,
      ...entry,
    }),
  },
  isIts: (file) => 'defaultServers' in file || 'defaultServer' in file,
  read: (file) => {
    const servers = translatedEntries(file['mcpServers'], ['mcpServers'], deepchatRules).map(started(file));
    return { servers: file['mcpEnabled'] === false ? servers.map(offThere) : servers, inputs: [] };
  },
};

const libreChatRules: Rules = {
  timeout: timeLimitRule('ms', 'callTotalMs'),
  initTimeout: timeLimitRule('ms', 'connectMs'),
  startup: (value) =>
    value === false ? { put: { a2c: { start: 'lazy' } }, changed: 'a2c.start is lazy' } : {},
};
const brace = /\{\{\s*([^{}\s]+)\s*\}\}/g;
/** LibreChat asks each of its users for these variables; it fills in the others itself. */
const asked = (server: AppServer, given: unknown): AppServer => {
  const own = fieldsOf(fieldsOf(given)['customUserVars']);
  const others = new Set<string>();
  const entry = withTexts(server.entry, (text) =>
    text.replaceAll(brace, (whole, name: string) => {
      if (Object.hasOwn(own, name)) return `\${input:${name}}`;
      others.add(whole);
      return whole;
    }),
  );
  const changed = Object.keys(own).map((name) => `{{${name}}} is the input ${name}`);
  const left = [...others].map((whole) => `${whole} is passed on as it stands: only LibreChat knows it`);
  return { ...server, entry, changed: [...server.changed, ...changed], left: [...server.left, ...left] };
};
const isOfLibreChat = (entry: unknown): boolean =>
  ['initTimeout', 'serverInstructions', 'customUserVars', 'chatMenu'].some((key) => key in fieldsOf(entry));

export const libreChat: App = {
  id: 'librechat',
  title: 'LibreChat',
  places: ['./librechat.yaml'],
  format: 'yaml',
  words: {
    at: 'mcpServers',
    around: { version: '1.2.8' },
    types: { stdio: 'stdio', streamable: 'streamable-http', sse: 'sse' },
    keys: { ...common, timeoutMs: 'timeout' },
    variable: (name) => `\${${name}}`,
  },
  isIts: (file) => entriesIn(file['mcpServers']).some(([, entry]) => isOfLibreChat(entry)),
  read: (file) => {
    const vars = entriesIn(file['mcpServers']).flatMap(([, entry]) =>
      entriesIn(fieldsOf(entry)['customUserVars']),
    );
    return {
      servers: translatedEntries(file['mcpServers'], ['mcpServers'], libreChatRules).map((server) =>
        asked(server, fieldsOf(file['mcpServers'])[server.name]),
      ),
      inputs: [...new Map(vars)].map(([id, told]) =>
        secretInput(id, fieldsOf(told)['title'] ?? `LibreChat: ${id}`),
      ),
    };
  },
};
const secretInput = (id: string, description: unknown): Fields => ({
  type: 'promptString',
  id,
  description: String(description),
  password: true,
});
