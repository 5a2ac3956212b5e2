import {
  dropped,
  entriesIn,
  leftOut,
  mapped,
  switchedOff,
  textsIn,
  timed,
  type App,
  type AppServer,
  type Rules,
} from '../importing/app.ts';
import { common } from '../importing/words.ts';
import { fieldsOf } from '../../protocol/json.ts';

const account = leftOut('no account of Google is used to log in');
const rules: Rules = {
  // There a URL without a type is the older transport.
  url: (url, { type, transport }) =>
    type === undefined && transport === undefined ? { put: { type: 'sse', url } } : { put: { url } },
  timeout: timed('ms', 'callTotalMs'),
  trust: (value) =>
    value === true ? { put: { autoApprove: ['all'] }, changed: 'every tool runs unasked (autoApprove)' } : {},
  authProviderType: account,
  targetAudience: account,
  targetServiceAccount: account,
  extensionName: dropped,
};
/** Beside its servers it may say which of them run. */
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
  format: 'json',
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
    servers: mapped(file['mcpServers'], ['mcpServers'], rules).map(switched(file['mcp'])),
    inputs: [],
  }),
};
