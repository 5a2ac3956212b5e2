import {
  as,
  dropped,
  entriesIn,
  hasObject,
  leftOut,
  readMap,
  timed,
  type App,
  type Rule,
  type Rules,
} from '../importing/app.ts';
import { common, seconds } from '../importing/words.ts';
import { fieldsOf, type Fields } from '../../protocol/json.ts';

const fromVariable = (name: unknown): string => `\${env:${String(name)}}`;
/** Names of variables that are passed on, or `{name, source}`. */
const passedOn: Rule = (value) => {
  const names = (Array.isArray(value) ? value : []).map((each: unknown) =>
    typeof each === 'string' ? each : fieldsOf(each)['name'],
  );
  return {
    put: { env: Object.fromEntries(names.map((name) => [String(name), fromVariable(name)])) },
    changed: 'these variables stand in env, and have to be set',
  };
};
/** `tools.NAME.approval_mode`. */
const approvals: Rule = (value) => {
  const approved = entriesIn(value).flatMap(([tool, how]) =>
    fieldsOf(how)['approval_mode'] === 'approve' ? [tool] : [],
  );
  return approved.length > 0
    ? { put: { alwaysAllow: approved }, changed: 'tools that are approved run unasked' }
    : { left: 'who approves a tool' };
};

/** It has keys for the values that come from variables. */
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

const rules: Rules = {
  env_vars: passedOn,
  http_headers: as('headers'),
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
  disabled_tools: as('forbidden_tools'),
  startup_timeout_sec: timed('s', 'connectMs'),
  startup_timeout_ms: timed('ms', 'connectMs'),
  tool_timeout_sec: timed('s', 'callTotalMs'),
  tools: approvals,
  default_tools_approval_mode: (value) =>
    value === 'approve'
      ? { put: { autoApprove: ['all'] }, changed: 'every tool runs unasked (autoApprove)' }
      : { left: 'who approves a tool' },
  scopes: (scopes) => ({ put: { oauth: { scopes } }, changed: 'its login is oauth' }),
  oauth_resource: leftOut('the resource of a login is found out'),
  required: dropped,
  supports_parallel_tool_calls: dropped,
};

export const codex: App = {
  id: 'codex',
  title: 'Codex',
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
  read: readMap('mcp_servers', rules),
};
