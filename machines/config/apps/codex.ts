import {
  as,
  dropped,
  entriesIn,
  fieldsOf,
  hasObject,
  leftOut,
  readMap,
  timed,
  type App,
  type Rule,
  type Rules,
} from '../importing/app.ts';

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
  isIts: (file) => hasObject(file, 'mcp_servers'),
  read: readMap('mcp_servers', rules),
};
