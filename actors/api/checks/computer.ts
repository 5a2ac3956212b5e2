import {
  anything,
  callback,
  disabled,
  either,
  flag,
  having,
  mapOf,
  instance,
  name,
  needing,
  object,
  oneOf,
  options,
  signal,
  text,
  texts,
  type MethodArguments,
  type Checks,
  url,
} from '../../kernel/options.ts';
import type { ComputerCallOptions } from '../call-outcome.ts';
import type { DesktopQuery, FinderQuery, SkillWait, WaitOptions } from '../computer-handle.ts';
import type { Answers, ComputerOptions } from '../computer-options.ts';
import type { OfficeSeat } from '../seat.ts';
import {
  exampleSeat,
  nameOfServer,
  ofDesktop,
  ofPage,
  timing,
  credential,
  host,
  ofCall,
  searched,
  range,
} from './host.ts';

export const seat = needing(
  ['url'],
  options<OfficeSeat>({ url, id: name, name, ...credential, keepTrying: flag }, exampleSeat),
);

const howInMemory = 'Such as { clock: () => new McpServer({ name, version }) }.';

const answers = options<Answers>({
  capabilities: object,
  roots: callback,
  sample: callback,
  elicit: callback,
  elicitUrl: callback,
});

export const ofComputer: Checks<ComputerOptions> = {
  ...host,
  name,
  config: anything,
  office: seat,
  confirm: either("'allow', 'deny' or a function", oneOf('allow', 'deny'), callback),
  permission: callback,
  input: callback,
  authorize: callback,
  assertion: callback,
  inMemory: mapOf(
    either(
      'an McpServer, or a function that makes one',
      callback,
      having('connect', 'an McpServer', howInMemory),
    ),
  ),
  transports: object,
  answers,
  autoConnect: flag,
  autoReconnect: flag,
  timing,
  launcher: instance,
  links: instance,
  reaper: flag,
  stateDir: either('a path, or false', name, disabled),
  shared: flag,
  onNotice: callback,
  onEvent: callback,
};

export const computerOptions = options<ComputerOptions>(ofComputer, undefined, {
  mcpServers: '`config`',
  servers: '`config`',
  inputs: '`config`',
});

interface ServerOfResource {
  readonly server?: string | undefined;
}

export const desktopOptions = options<DesktopQuery & WaitOptions>(ofDesktop);

export const finderOptions = options<FinderQuery & WaitOptions>({ ...searched, ...range });

export const readOptions = options<ServerOfResource & WaitOptions>({ signal, server: name });

export const skillOptions = options<SkillWait>({ signal, path: text });

export const computerCallOptions = options<ComputerCallOptions>({
  ...ofCall,
  sessionKey: text,
  confirmed: flag,
});

const [ofServer, named] = [[nameOfServer], ['server', text]] as const;

export const onServers: MethodArguments = { startServer: ofServer, stopServer: ofServer };

export const computerArguments: MethodArguments = {
  'servers.start': ofServer,
  'servers.stop': ofServer,
  'servers.restart': ofServer,
  'servers.remove': ofServer,
  'servers.logs': ofServer,
  'servers.logout': ofServer,
  'servers.watch': [nameOfServer, ['uris', texts]],
  readResource: [ofPage],
  'skills.read': ofServer,
  'prompts.get': [named, nameOfServer],
  'debug.cachedResult': [['handle', text]],
  cancel: [['reqId', text]],
};

export const computerThrowing = ['debug.cachedResult', 'servers.logs', 'cancel', 'servers.watch'] as const;
