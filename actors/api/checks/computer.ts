import {
  anything,
  callback,
  count,
  disabled,
  either,
  flag,
  instance,
  name,
  needing,
  object,
  oneOf,
  options,
  signal,
  text,
  texts,
  type Arguments,
  type Checks,
  url,
} from '../../kernel/options.ts';
import type { ComputerCallOptions } from '../call-outcome.ts';
import type { Computer, DesktopQuery, FinderQuery, SkillWait, WaitOptions } from '../computer-handle.ts';
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
  ofRecording,
  ofCall,
  searched,
  range,
} from './host.ts';

export const seat = needing(
  ['url'],
  options<OfficeSeat>({ url, id: name, name, ...credential, keepTrying: flag }, exampleSeat),
);

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
  inMemory: object,
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
  historySize: count,
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
  meta: object,
});

export const onServer = { startServer: [nameOfServer], stopServer: [nameOfServer] } as const;

export const computerArguments = {
  ...onServer,
  ...ofRecording,
  restartServer: [nameOfServer],
  retryServer: [nameOfServer],
  logout: [nameOfServer],
  removeServer: [nameOfServer],
  readResource: [ofPage],
  skill: [nameOfServer],
  getPrompt: [['server', text], nameOfServer],
  cachedResult: [['handle', text]],
  logs: [['server', text]],
  cancelCall: [['reqId', text]],
  watchResources: [
    ['server', text],
    ['uris', texts],
  ],
} satisfies Partial<Record<keyof Computer, Arguments>>;

export const computerThrowing = ['cachedResult', 'logs', 'cancelCall', 'watchResources', 'mark'] as const;
