import * as is from '../../kernel/options.ts';
import { how } from '../../kernel/options.ts';
import type { ComputerCallOptions } from '../call-outcome.ts';
import type { DesktopQuery, FinderQuery, SkillWait, WaitOptions } from '../computer-handle.ts';
import type { Answers, ComputerOptions } from '../computer-options.ts';
import type { OfficeSeat } from '../seat.ts';
import * as of from './host.ts';

const seat = is.needing(
  ['url'],
  is.options<OfficeSeat>(
    { url: is.url, id: is.name, name: is.name, ...of.credential, keepTrying: is.flag },
    of.exampleSeat,
  ),
);

const howInMemory = 'Such as { clock: () => new McpServer({ name, version }) }.';

const answers = is.options<Answers>({
  capabilities: is.object,
  roots: is.callback,
  sample: is.callback,
  elicit: is.callback,
  elicitUrl: is.callback,
});

export const ofComputer: is.Checks<ComputerOptions> = {
  ...of.host,
  name: is.name,
  config: is.anything,
  office: seat,
  confirm: is.either("'allow', 'deny' or a function", is.oneOf('allow', 'deny'), is.callback),
  permission: is.callback,
  input: is.callback,
  authorize: is.callback,
  assertion: is.callback,
  inMemory: is.mapOf(
    is.either(
      'an McpServer, or a function that makes one',
      is.callback,
      is.having('connect', 'an McpServer', howInMemory),
    ),
  ),
  transports: is.object,
  answers,
  autoConnect: is.flag,
  autoReconnect: is.flag,
  timing: of.timing,
  launcher: is.instance,
  links: is.instance,
  reaper: is.flag,
  stateDir: is.either('a path, or false', is.name, is.disabled),
  shared: is.flag,
  onNotice: is.callback,
  onEvent: is.callback,
};

export const computerOptions = is.options<ComputerOptions>(ofComputer, undefined, {
  mcpServers: '`config`',
  servers: '`config`',
  inputs: '`config`',
});

export const computerCallOptions = is.options<ComputerCallOptions>({
  ...of.call,
  sessionKey: is.text,
  confirmed: is.flag,
});

interface ServerOfResource {
  readonly server?: string | undefined;
}
const wait = how<WaitOptions>({ signal: is.signal });

export const onServers: is.MethodArguments = {
  startServer: [of.name],
  stopServer: [of.name],
};
export const computerMethods: is.MethodArguments = {
  ...of.methods,
  'servers.start': [of.name, wait],
  'servers.stop': [of.name, wait],
  'servers.restart': [of.name, wait],
  'servers.remove': [of.name],
  'servers.logs': [of.name],
  'servers.logout': [of.name],
  'servers.watch': [of.name, ['uris', is.texts]],
  tools: [wait],
  desktop: [how<DesktopQuery & WaitOptions>(of.desktop)],
  finder: [how<FinderQuery & WaitOptions>({ ...of.searched, ...of.range })],
  resources: [wait],
  readResource: [of.uri, how<ServerOfResource & WaitOptions>({ signal: is.signal, server: is.name })],
  'skills.list': [wait],
  'skills.read': [of.name, how<SkillWait>({ signal: is.signal, path: is.text })],
  'prompts.list': [wait],
  'prompts.get': [of.server, of.name, ['values', is.anything], wait],
  'inputs.values.clear': [['id', is.optional(is.text)]],
  'debug.cachedResult': [['handle', is.text]],
  cancel: [['reqId', is.text]],
  join: [['', seat]],
  joined: [wait],
};
export const computerThrowing = [
  ...['debug.cachedResult', 'debug.mark', 'servers.logs', 'cancel', 'servers.watch', 'inputs.values.clear'],
] as const;
