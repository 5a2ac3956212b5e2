import type { Path } from '../mistake.ts';
import type { ServerKind } from '../server.ts';

type Treatment =
  /** Moves to `to` as it stands. */
  | 'same'
  /** Moves to `to` as its opposite. */
  | 'opposite'
  /** Names of tools that may run unasked, and no groups. */
  | 'approve'
  /** The only tools that may be offered; `*` in the list means all. */
  | 'allow'
  /** Says how the server is reached, as `type` does. */
  | 'kind'
  /** How to log in: what another client has besides is dropped. */
  | 'login'
  /** Known and meant for a screen: dropped without a word. */
  | 'shown'
  /** Known and not done in this version: a warning. */
  | 'unsupported';
export interface ForeignKey {
  readonly key: string;
  readonly does: Treatment;
  /** A path in the protocol's shape; the first row of a path gives its name in mistakes. */
  readonly to?: Path;
  /** The kinds it means something to; elsewhere it is a warning, and nothing when it is empty. */
  readonly kinds?: readonly ServerKind[];
  /** What `docs/config.md` says about it. */
  readonly note: string;
}

const launched = ['stdio', 'inmemory'] as const;
const remote = ['sse', 'streamable'] as const;
const at = (key: string): Path => ['server_parameters', key];

/** What becomes of the keys of Claude Desktop, Cursor, VS Code, Cline, Gemini CLI and DeepChat. Printed in docs/config.md. */
export const foreignKeys: readonly ForeignKey[] = [
  {
    key: 'type',
    does: 'same',
    to: ['type'],
    note: '`http`, `streamableHttp`, `http-stream`, … are `streamable`, `local` is `stdio`, in any case; without it `command` means `stdio`, and a URL, or `remote`, `streamable`',
  },
  {
    key: 'transport',
    does: 'kind',
    to: ['type'],
    note: 'FastMCP, LangChain; as `type`. An object (Continue, Cline): its keys count as if they stood in its place',
  },
  { key: 'transportType', does: 'kind', to: ['type'], note: 'Cline; as `type`' },
  { key: 'name', does: 'same', to: ['name'], note: 'must equal the key of the map' },
  {
    key: 'command',
    does: 'same',
    to: at('command'),
    kinds: ['stdio'],
    note: 'a list (opencode) is the command and its first arguments',
  },
  {
    key: 'args',
    does: 'same',
    to: at('args'),
    kinds: launched,
    note: 'numbers and booleans become text, with a warning',
  },
  {
    key: 'env',
    does: 'same',
    to: at('env'),
    kinds: launched,
    note: 'numbers and booleans become text, `null` is an absent entry, with a warning',
  },
  { key: 'environment', does: 'same', to: at('env'), kinds: launched, note: 'opencode' },
  { key: 'envFile', does: 'same', to: ['envFile'], kinds: ['stdio'], note: 'VS Code' },
  { key: 'env_file', does: 'same', to: ['envFile'], kinds: ['stdio'], note: 'the Python SDK' },
  { key: 'cwd', does: 'same', to: at('cwd'), kinds: ['stdio'], note: '' },
  { key: 'url', does: 'same', to: at('url'), kinds: remote, note: '' },
  { key: 'baseUrl', does: 'same', to: at('url'), kinds: remote, note: 'DeepChat' },
  { key: 'serverUrl', does: 'same', to: at('url'), kinds: remote, note: 'Windsurf' },
  { key: 'httpUrl', does: 'same', to: at('url'), kinds: remote, note: 'Gemini CLI' },
  { key: 'headers', does: 'same', to: at('headers'), kinds: remote, note: '' },
  { key: 'customHeaders', does: 'same', to: at('headers'), kinds: remote, note: 'DeepChat' },
  {
    key: 'requestInit',
    does: 'same',
    to: at('headers'),
    kinds: remote,
    note: 'Copilot; the `headers` in it',
  },
  { key: 'bundle_id', does: 'same', to: ['bundle_id'], note: 'as in the protocol from 0.3 on' },
  { key: 'disabled', does: 'same', to: ['disabled'], note: '' },
  { key: 'disable', does: 'same', to: ['disabled'], note: 'DeepChat' },
  { key: 'enabled', does: 'opposite', to: ['disabled'], note: '`false` disables' },
  { key: 'isActive', does: 'opposite', to: ['disabled'], note: 'Cherry Studio; as `enabled`' },
  { key: 'disabledTools', does: 'same', to: ['forbidden_tools'], note: 'Windsurf, Roo' },
  { key: 'excludeTools', does: 'same', to: ['forbidden_tools'], note: 'Gemini CLI' },
  { key: 'auto_approve', does: 'same', to: ['auto_approve'], note: 'our own, as above' },
  { key: 'autoApprove', does: 'same', to: ['autoApprove'], note: 'DeepChat, Cline; as `auto_approve`' },
  {
    key: 'alwaysAllow',
    does: 'approve',
    note: 'Roo; a tool name → `tool_meta.<name>.auto_apply`, for `read` is a tool here and no group; `*` → `default_tool_meta.auto_apply`',
  },
  { key: 'forbidden_tools', does: 'same', to: ['forbidden_tools'], note: 'as in the protocol' },
  { key: 'tool_meta', does: 'same', to: ['tool_meta'], note: 'as in the protocol' },
  { key: 'default_tool_meta', does: 'same', to: ['default_tool_meta'], note: 'as in the protocol' },
  { key: 'vrl', does: 'same', to: ['vrl'], note: 'as in the protocol' },
  { key: 'a2c', does: 'same', to: ['a2c'], note: 'our own settings' },
  {
    key: 'oauth',
    does: 'login',
    to: ['oauth'],
    kinds: remote,
    note: 'how to log in (docs/login.md); what another client has besides, such as `callbackPort` of Claude Code, is a warning',
  },
  { key: 'ca', does: 'same', to: ['ca'], kinds: remote, note: 'our own, as above' },
  { key: 'description', does: 'shown', note: '' },
  { key: 'descriptions', does: 'shown', note: 'DeepChat' },
  { key: 'icon', does: 'shown', note: '' },
  { key: 'icons', does: 'shown', note: 'DeepChat' },
  { key: 'title', does: 'shown', note: '' },
  { key: 'timeout', does: 'unsupported', note: 'seconds here, milliseconds there; write `a2c.timeouts`' },
  { key: 'includeTools', does: 'allow', to: ['a2c', 'tools'], note: 'Gemini CLI' },
  { key: 'tools', does: 'allow', to: ['a2c', 'tools'], note: 'Copilot; a list with `*` means all' },
  { key: 'available_tools', does: 'allow', to: ['a2c', 'tools'], note: 'Goose' },
  { key: 'enabled_tools', does: 'allow', to: ['a2c', 'tools'], note: 'Codex' },
];
