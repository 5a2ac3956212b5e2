import type {
  Agent,
  AgentOptions,
  AgentReading,
  DesktopOptions,
  FinderOptions,
  FormatOptions,
  PageOptions,
  PutOptions,
  ReadOptions,
  ResourceOptions,
  ResourcesOptions,
  SkillOptions,
} from './agent-handle.ts';
import type { BlobOptions } from './downloads.ts';
import type { Computer, DesktopQuery, FinderQuery, SkillWait, WaitOptions } from './computer-handle.ts';
import type { Answers, ComputerOptions } from './computer-options.ts';
import type { Office, OfficeOptions } from './office-handle.ts';
import type { CallOptions, ComputerCallOptions } from './call-outcome.ts';
import type { Presenter, PresenterOptions } from './presenter-handle.ts';
import type { OfficeSeat } from './seat.ts';
import type { InspectOptions } from '../inspector/inspections.ts';
import {
  anything,
  callback,
  count,
  disabled,
  either,
  flag,
  fromOne,
  instance,
  limit,
  listOf,
  ms,
  name,
  needing,
  noLimit,
  object,
  oneOf,
  optional,
  options,
  port,
  positive,
  signal,
  text,
  texts,
  url,
  whole,
  wrongOptions,
  type Arguments,
  type Check,
  type Checks,
} from '../kernel/options.ts';
import type { A2cError } from '../kernel/errors.ts';
import { logLevels, type LogOptions } from '../logging/log-entry.ts';
import type { RecordOptions } from '../recording/flight-recorder.ts';
import { keepWords } from '../../machines/trace/reasons.ts';
import { timing as defaults, type GivenTiming } from '../../machines/kernel/timing.ts';
import {
  isRate,
  limitNames,
  officeLimits,
  type GivenLimits,
  type Rate,
} from '../../machines/office/rooms/limits.ts';
import { misspeltMap } from '../../machines/config/parse.ts';
import type { DpeFormat } from '../../machines/resources/uri.ts';
import { profiles } from '../../machines/trace/format.ts';

const timing = options<GivenTiming>(
  Object.fromEntries(Object.keys(defaults).map((key) => [key, ms])) as Checks<GivenTiming>,
);
const log: Checks<LogOptions> = { log: callback, logLevel: oneOf(...logLevels) };
const record: Check = (value, at) =>
  disabled(value, at) &&
  options<RecordOptions>({
    profile: oneOf(...profiles),
    dir: name,
    on: listOf(oneOf(...keepWords)),
    ringBytes: count,
    secrets: texts,
    redact: callback,
    key: text,
  })(value, at);
const host = { ...log, record, tracing: flag, signal } as const;

const exampleSeat = "Such as { url: 'http://127.0.0.1:3000' }.";
const credential = {
  auth: either('a text, an object or a function', text, object, callback),
  headers: object,
  tls: object,
} as const;
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
const ofComputer: Checks<ComputerOptions> = {
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
const { config: _, ...ofPresenter } = ofComputer;
const settings: Check = (value, at) => {
  const fault = object(value, at);
  if (fault) return fault;
  const [key, meant] = misspeltMap(value as object) ?? [];
  return key === undefined
    ? undefined
    : { at: `${at}.${key}`, message: `unknown key (did you mean ${meant}?)` };
};
const namedOptions = options<PresenterOptions>({ ...ofPresenter, file: name, settings });
export const presenterOptions: Check = (value, at) => {
  const given = new Map(object(value, at) ? [] : Object.entries(value as object));
  if (given.has('config'))
    return {
      at: 'config',
      message: 'unknown option (did you mean file or settings?)',
      remedy: 'A presenter reads its config from `file`, or keeps the object `settings` in memory.',
    };
  if (given.get('file') !== undefined && given.get('settings') !== undefined)
    return { at: 'settings', message: 'is given beside file', remedy: 'Give one of them.' };
  return namedOptions(value, at);
};
export const agentOptions = needing(
  ['url'],
  options<AgentOptions>(
    {
      ...host,
      ...credential,
      url,
      name,
      office: name,
      timing,
      keepTrying: flag,
      follow: listOf(oneOf('desktop', 'finder', 'skills')),
      links: instance,
    },
    exampleSeat,
  ),
);
const limitOrRate = (value: unknown, at: string): ReturnType<Check> =>
  typeof value === 'object' ? rateOf(value, at) : noLimit(value, at);
const rateOf = needing(['perSecond', 'burst'], options<Rate>({ perSecond: positive, burst: fromOne }));
const limits = options<GivenLimits>(
  Object.fromEntries(
    limitNames.map((each) => [each, isRate(officeLimits[each]) ? limitOrRate : count]),
  ) as Checks<GivenLimits>,
  'docs/office.md has the limits and their defaults.',
);
// Leaves `auth`, `redis`, `tls` and `trustProxy` out, because they are checked where they are read, with their own remedies.
export const officeOptions = options<OfficeOptions>({
  ...host,
  host: name,
  port,
  auth: anything,
  requireVersion: flag,
  limits,
  trustProxy: anything,
  tls: anything,
  metrics: needing(
    ['port'],
    options<NonNullable<OfficeOptions['metrics']>>({ port, host: name, token: text }),
  ),
  redis: anything,
});

export const inspectOptions = options<InspectOptions>({ port, allowControl: flag });
type PagesOptions = NonNullable<Parameters<AgentReading['readDocumentPages']>[2]>;
interface ServerOfResource {
  readonly server?: string | undefined;
}
export const waitOptions = options<WaitOptions>({ signal });
const ofDesktop: Checks<DesktopQuery & WaitOptions> = { signal, size: whole, window: text, fresh: flag };
export const desktopOptions = options<DesktopQuery & WaitOptions>(ofDesktop);
const searched = { signal, fresh: flag, keywords: texts, fileType: text } as const;
const range = { offset: whole, limit: whole } as const;
export const finderOptions = options<FinderQuery & WaitOptions>({ ...searched, ...range });
export const readOptions = options<ServerOfResource & WaitOptions>({ signal, server: name });

const asked: Checks<ReadOptions> = { timeoutMs: limit, signal };
const formatted = { ...asked, format: oneOf('json', 'markdown', 'text') } as const;
export const blobOptions = options<BlobOptions>({ signal, sha256: text, onProgress: callback });
export const asking = {
  tools: options<ReadOptions>(asked),
  listRoom: options<ReadOptions>(asked),
  getConfig: options<ReadOptions>(asked),
  getDesktop: options<DesktopOptions>({ ...asked, ...ofDesktop }),
  getFinder: options<FinderOptions>({ ...asked, ...searched, ...range }),
  readResource: options<ResourceOptions>({ ...asked, server: name }),
  getResources: options<ResourcesOptions>({ ...asked, cursor: text }),
  skills: options<ReadOptions>(asked),
  skill: options<SkillOptions>({ ...asked, path: text }),
  readDocumentMetadata: options<ReadOptions>(asked),
  readDocumentPages: options<PagesOptions>({ ...asked, ...range }),
  readPage: options<PageOptions<DpeFormat>>({ ...formatted, categories: texts }),
  readElement: options<FormatOptions<DpeFormat>>(formatted),
};
export const skillOptions = options<SkillWait>({ signal, path: text });

const ofCall: Checks<CallOptions> = {
  reqId: name,
  timeoutMs: limit,
  signal,
  trace: object,
  context: anything,
};
export const callOptions = options<CallOptions>(ofCall);
export const putOptions = options<PutOptions>({ signal, timeoutMs: limit, name: text, onProgress: callback });
export const computerCallOptions = options<ComputerCallOptions>({
  ...ofCall,
  sessionKey: text,
  confirmed: flag,
  meta: object,
});
const [nameOfServer, ofPage] = [
  ['name', text],
  ['uri', text],
] as const;
const onServer = { startServer: [nameOfServer], stopServer: [nameOfServer] } as const;
const ofRecording = { writeTrace: [['dir', optional(name)]], mark: [['text', text]] } as const;
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
const ofComputerNamed = ['computer', text] as const;
const asComputer = [ofComputerNamed] as const;
const asDocument = [ofComputerNamed, ofPage] as const;
const source: Check = either('a path or bytes (a Uint8Array)', text, (value, at) =>
  ArrayBuffer.isView(value) ? undefined : { at, message: '' },
);
export const agentArguments = {
  ...ofRecording,
  tools: asComputer,
  getConfig: asComputer,
  getDesktop: asComputer,
  getFinder: asComputer,
  skills: asComputer,
  skill: [ofComputerNamed, ['name', text]],
  getResources: [ofComputerNamed, ['server', text]],
  readResource: asDocument,
  readDocumentMetadata: asDocument,
  readDocumentPages: asDocument,
  readPage: asDocument,
  readElement: [ofComputerNamed, ofPage, ['elementId', text]],
  putFile: [ofComputerNamed, ['source', source]],
  blob: [ofComputerNamed, ['handle', text]],
  cancel: [['reqId', text]],
} satisfies Partial<Record<keyof Agent, Arguments>>;
export const agentThrowing = ['blob', 'cancel', 'mark'] as const;
/** Without `admit`, whose arguments are checked where they are read. */
export const officeArguments = {
  ...ofRecording,
  disconnect: [
    ['id', text],
    ['why', optional(text)],
  ],
  drain: [['ms', optional(ms)]],
} satisfies Partial<Record<keyof Office, Arguments>>;
export const officeThrowing = ['mark', 'disconnect'] as const;
export const presenterArguments = {
  ...onServer,
  addMcpServer: [nameOfServer, ['config', object]],
  updateMcpServer: [nameOfServer, ['config', object]],
  removeMcpServer: [nameOfServer],
  addMcpDefaultServer: [nameOfServer],
  removeMcpDefaultServer: [nameOfServer],
  toggleMcpDefaultServer: [nameOfServer],
  setMcpEnabled: [['isEnabled', flag]],
  isServerRunning: [nameOfServer],
  readResource: [ofPage],
} satisfies Partial<Record<keyof Presenter, Arguments>>;
export const presenterThrowing = ['isServerRunning'] as const;

export const wrongCall = (
  tool: unknown,
  params: unknown,
  given: unknown,
  checks: Check,
): A2cError | undefined =>
  wrongOptions('callTool', { tool, params }, needing(['tool'], options({ tool: name, params: object }))) ??
  wrongOptions('callTool', given, checks);
