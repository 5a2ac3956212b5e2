import {
  dropped,
  leftOut,
  mapped,
  switchedOff,
  textsIn,
  type App,
  type AppServer,
  type Rules,
} from '../importing/app.ts';
import { common } from '../importing/words.ts';
import { fieldsOf } from '../../protocol/json.ts';

const rules: Rules = {
  type: (value) => ({
    put: { type: value },
    ...(value === 'inmemory' && { why: 'it is a part of DeepChat itself' }),
  }),
  customNpmRegistry: (value) =>
    value === '' || value === null
      ? {}
      : { put: { a2c: { npmRegistry: value } }, changed: 'its registry is a2c.npmRegistry' },
  authorization: leftOut('log in with a2c login'),
  source: dropped,
  sourceId: dropped,
  ownerPluginId: dropped,
  inheritEnv: dropped,
  serverId: dropped,
  configGeneration: dropped,
  bindingHash: dropped,
  forceLegacyWire: dropped,
};
/** Which servers start by themselves stands beside them. */
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

/** It wants something for its screen. */
const shownThere = { descriptions: '', icons: '' };

export const deepchat: App = {
  id: 'deepchat',
  title: 'DeepChat',
  format: 'json',
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
    const servers = mapped(file['mcpServers'], ['mcpServers'], rules).map(started(file));
    return { servers: file['mcpEnabled'] === false ? servers.map(offThere) : servers, inputs: [] };
  },
};
