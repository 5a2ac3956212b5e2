import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import * as models from '../models/index.ts';
import * as wire from '../../machines/protocol/index.ts';
import * as api from '../index.ts';
import * as transport from '../transport/index.ts';
import type {
  Agent,
  AgentEvents,
  AgentOptions,
  AgentTool,
  Call,
  CallOutcome,
  Computer,
  ComputerEvents,
  ComputerOptions,
  ComputerStatus,
  Failure,
  Launched,
  Launcher,
  LinkStatus,
  LogOptions,
  Office,
  OfficeEvents,
  OfficeOptions,
  RoomMember,
  ServerStatus,
} from '../index.ts';
import type { Presenter, PresenterEvents, MCP_EVENTS } from '../presenter/index.ts';

/** Tests of all public names, which users write into their programs. A changed name needs an entry in CHANGELOG.md. */
const root = fileURLToPath(new URL('../..', import.meta.url));
const events = ['on', 'once', 'off', 'removeListener'] as const;
const names = {
  office: [
    ...(['url', 'port', 'metricsUrl', 'admit', 'stats', 'peers', 'disconnect', 'reload'] as const),
    ...(['debug', 'drain', 'close'] as const),
    ...events,
  ],
  computer: [
    ...(['name', 'status', 'servers', 'config', 'inputs', 'tools', 'callTool', 'cancel', 'calls'] as const),
    ...(['desktop', 'finder', 'resources', 'readResource', 'skills', 'prompts'] as const),
    ...(['join', 'joined', 'leave', 'debug', 'drain', 'close'] as const),
    ...events,
  ],
  presenter: [
    ...(['computer', 'initialize', 'getMcpServers', 'startServer', 'stopServer', 'addMcpServer'] as const),
    ...(['updateMcpServer', 'removeMcpServer', 'getMcpDefaultServers', 'addMcpDefaultServer'] as const),
    ...(['removeMcpDefaultServer', 'toggleMcpDefaultServer', 'getMcpEnabled', 'setMcpEnabled'] as const),
    ...(['resetToDefaultServers', 'getAllToolDefinitions', 'callTool', 'mcpToolsToOpenAITools'] as const),
    ...(['openAIToolsToMcpTool', 'mcpToolsToAnthropicTools', 'anthropicToolUseToMcpTool'] as const),
    ...(['mcpToolsToGeminiTools', 'geminiFunctionCallToMcpTool', 'conversation'] as const),
    ...(['getRunningClients', 'getDefaultClients', 'isServerRunning', 'readResource'] as const),
    ...(['configStatus', 'drain', 'close'] as const),
    ...events,
  ],
  agent: [
    ...(['status', 'joined', 'room', 'tools', 'callTool', 'cancel', 'config', 'desktop', 'finder'] as const),
    ...(['resources', 'readResource', 'skills', 'documents', 'files', 'debug', 'drain', 'close'] as const),
    ...events,
  ],
} as const;
/** Groups of methods, with what is in them. */
const groups = {
  office: { debug: ['inspect', 'writeTrace', 'mark'] },
  computer: {
    servers: [
      ...(['start', 'stop', 'restart', 'add', 'remove', 'set', 'logs', 'logout', 'watch'] as const),
      ...(['listed', 'request', 'announceRoots'] as const),
    ],
    skills: ['list', 'read'],
    prompts: ['list', 'get'],
    inputs: ['list', 'get', 'add', 'load', 'remove', 'values'],
    debug: ['inspect', 'writeTrace', 'mark', 'catalogs', 'cachedResult'],
  },
  agent: {
    skills: ['list', 'read'],
    documents: ['metadata', 'pages', 'page', 'element'],
    files: ['put', 'get'],
    debug: ['inspect', 'writeTrace', 'mark'],
  },
} as const;
const facts: readonly string[] = ['url', 'port', 'metricsUrl', 'name'];
const byCode = (one: string, other: string): number => (one < other ? -1 : 1);
type NamesOf<T> = Exclude<keyof T, symbol>;

describe('a2c-actors', () => {
  it('has handles with these members, in their types', () => {
    expectTypeOf<NamesOf<Office>>().toEqualTypeOf<(typeof names.office)[number]>();
    expectTypeOf<NamesOf<Computer>>().toEqualTypeOf<(typeof names.computer)[number]>();
    expectTypeOf<NamesOf<Agent>>().toEqualTypeOf<(typeof names.agent)[number]>();
    expectTypeOf<NamesOf<Presenter>>().toEqualTypeOf<(typeof names.presenter)[number]>();
    expectTypeOf<Office>().toExtend<AsyncDisposable>();
    expectTypeOf<Computer>().toExtend<AsyncDisposable>();
    expectTypeOf<Agent>().toExtend<AsyncDisposable>();
  });

  it('has handles with these members, in life', async () => {
    await using office = await api.createOffice({ port: 0, metrics: { port: 0 } });
    await using computer = await api.createComputer({ name: 'c1', office: { url: office.url } });
    await using agent = await api.createAgent({ url: office.url });
    const handles = { office, computer, agent };
    for (const who of ['office', 'computer', 'agent'] as const) {
      const handle = handles[who] as unknown as Record<string, unknown>;
      expect(names[who].filter((name) => handle[name] === undefined)).toEqual([]);
      const inGroups = Object.entries(groups[who]);
      const plain = names[who].filter((name) => !facts.includes(name) && !Object.hasOwn(groups[who], name));
      expect(plain.filter((name) => typeof handle[name] !== 'function')).toEqual([]);
      for (const [group, members] of inGroups)
        expect([group, ...Object.keys(handle[group] as object).toSorted(byCode)]).toEqual([
          group,
          ...[...members].toSorted(byCode),
        ]);
      // Other members of a handle must not be enumerable.
      expect(Object.keys(handle).filter((name) => !(names[who] as readonly string[]).includes(name))).toEqual(
        [],
      );
    }
  });

  it('tells these events, with these values', () => {
    expectTypeOf<keyof OfficeEvents>().toEqualTypeOf<
      'seat.changed' | 'peer.refused' | 'auth.failed' | 'register.changed'
    >();
    expectTypeOf<keyof ComputerEvents>().toEqualTypeOf<
      | 'server.changed'
      | 'tools.changed'
      | 'link.changed'
      | 'call.started'
      | ('call.progress' | 'call.settled')
      | 'computer.changed'
      | 'config.changed'
      | ('desktop.changed' | 'finder.changed')
      | (
          | 'server.removed'
          | 'server.logged'
          | 'server.notified'
          | 'server.wrote'
          | 'resources.changed'
          | 'prompts.changed'
          | 'resource.updated'
          | 'skills.changed'
          | 'incident'
        )
    >();
    expectTypeOf<keyof PresenterEvents>().toEqualTypeOf<
      (typeof MCP_EVENTS)[keyof typeof MCP_EVENTS] | 'notification'
    >();
    expectTypeOf<keyof AgentEvents>().toEqualTypeOf<
      | ('computer.joined' | 'computer.left' | 'tools.changed' | 'config.changed' | 'link.changed')
      | ('desktop.changed' | 'finder.changed' | 'desktop.failed' | 'finder.failed')
      | ('skills.changed' | 'skills.failed')
    >();
    expectTypeOf<keyof AgentEvents['desktop.changed']>().toEqualTypeOf<
      'computer' | 'value' | 'added' | 'removed' | 'changed'
    >();
    expectTypeOf<keyof AgentEvents['finder.changed']>().toEqualTypeOf<keyof AgentEvents['desktop.changed']>();
    expectTypeOf<AgentEvents['tools.changed']>().toEqualTypeOf<{
      readonly computer: string;
      readonly value: readonly AgentTool[];
      readonly added: readonly string[];
      readonly removed: readonly string[];
      readonly changed: readonly string[];
    }>();
    expectTypeOf<ComputerEvents['desktop.changed' | 'finder.changed']>().toEqualTypeOf<
      Readonly<Record<string, never>>
    >();
    expectTypeOf<(AgentEvents & ComputerEvents)['link.changed']>().toEqualTypeOf<LinkStatus>();
    expectTypeOf<LinkStatus>().toEqualTypeOf<{
      readonly state: 'connecting' | 'joined' | 'waiting' | 'closed';
      readonly reason: string | null;
      readonly refusal: 'seat' | 'version' | 'credential' | null;
    }>();
    expectTypeOf<OfficeEvents['seat.changed']['state']>().toEqualTypeOf<'joined' | 'left'>();
    expectTypeOf<RoomMember['role']>().toEqualTypeOf<'agent' | 'computer'>();
    expectTypeOf<AgentEvents['computer.left']>().toEqualTypeOf<{ readonly computer: string }>();
    expectTypeOf<ComputerEvents['computer.changed']>().toEqualTypeOf<{
      readonly state: ComputerStatus['state'];
    }>();
    expectTypeOf<ComputerEvents['server.changed']>().toEqualTypeOf<
      ServerStatus & { readonly failure: Failure | null }
    >();
  });

  it('asks for these options, and promises all that takes time', () => {
    expectTypeOf<keyof OfficeOptions>().toEqualTypeOf<
      | ('host' | 'port' | 'auth' | 'requireVersion' | 'record' | keyof LogOptions)
      | ('limits' | 'trustProxy' | 'metrics' | 'tls' | 'redis' | 'tracing' | 'signal')
    >();
    expectTypeOf<keyof AgentOptions>().toEqualTypeOf<
      | ('url' | 'auth' | 'headers' | 'tls' | 'name' | 'office' | 'timing' | 'keepTrying' | 'signal')
      | ('follow' | 'record' | keyof LogOptions | 'tracing' | 'links')
    >();
    expectTypeOf<keyof ComputerOptions>().toEqualTypeOf<
      | ('name' | 'config' | 'office' | 'confirm' | 'autoConnect' | 'autoReconnect' | 'timing')
      | ('reaper' | 'stateDir' | 'shared' | 'onNotice' | 'signal' | 'onEvent' | 'record' | 'launcher')
      | (keyof LogOptions | 'tracing')
      | ('input' | 'inMemory' | 'answers' | 'transports' | 'permission' | 'authorize')
      | ('assertion' | 'links')
    >();
    expectTypeOf(api.createOffice).returns.toEqualTypeOf<Promise<Office>>();
    expectTypeOf(api.createComputer).returns.toEqualTypeOf<Promise<Computer>>();
    expectTypeOf(api.createAgent).returns.toEqualTypeOf<Promise<Agent>>();
    expectTypeOf<Agent['room']>().returns.resolves.toEqualTypeOf<readonly RoomMember[]>();
    expectTypeOf<Agent['callTool']>().returns.toEqualTypeOf<Call>();
    expectTypeOf<Computer['callTool']>().returns.toEqualTypeOf<Call>();
    expectTypeOf<Call>().resolves.toEqualTypeOf<CallOutcome>();
    expectTypeOf<ServerStatus['state']>().toEqualTypeOf<
      | ('idle' | 'standby' | 'connecting' | 'ready' | 'recovering' | 'waiting' | 'open' | 'closing')
      | ('disabled' | 'needsInput' | 'unsupported' | 'authorizing' | 'unauthorized')
    >();
    expectTypeOf<keyof Launcher>().toEqualTypeOf<'launch' | 'describe'>();
    expectTypeOf<keyof Launched>().toEqualTypeOf<
      'stdin' | 'stdout' | 'stderr' | 'started' | 'ended' | 'signal' | 'living' | 'group' | 'remains'
    >();
    expectTypeOf(api.localLauncher).toEqualTypeOf<Launcher>();
    expectTypeOf(new api.A2cError({ code: 404, message: 'x' })).toExtend<Error>();
  });
});

const values = {
  './agent': ['createAgent'],
  './computer': ['createComputer'],
  './contracts': [
    ...['launcherSubject', 'processContract', 'sessionContract', 'sessionMcpContract', 'transportSubject'],
  ],
  './transport': ['A2cError', 'createSupervisor', 'inspect', 'supervised'],
  './models': [
    ...['anthropic', 'anthropicToolUseToMcpTool', 'createConversation', 'gemini'],
    ...['geminiFunctionCallToMcpTool', 'mcpToolsToAnthropicTools', 'mcpToolsToGeminiTools'],
    ...['mcpToolsToOpenAITools', 'mostCharacters', 'openAIToolsToMcpTool', 'openai', 'openaiResponses'],
    ...['parametersOf', 'readArguments', 'textOf', 'toResponse'],
  ],
  './ai': ['toolsOf'],
  './langchain': ['toolsOf'],
  './office': ['createOffice'],
  './applications': ['planImport'],
  './presenter': ['MCP_EVENTS', 'createPresenter'],
  './serve': ['createServe'],
  './replay': 'CannotVerify ForkError UnusableTrace fork redact replay verify virtualTime worldOf'.split(' '),
  './scenario': [
    ...['Observed', 'Scene', 'disagreements', 'observe', 'planOf', 'planTiming'],
    ...['playReally', 'playVirtually', 'registered', 'scenario', 'summaryOf', 'violationsOf', 'wordsOf'],
  ],
  '.': 'A2cError buildDpeUri buildWindowUri createAgent createComputer createOffice foreign localLauncher parseDpeUri parseWindowUri'.split(
    ' ',
  ),
  './wire': [
    ...['NAMESPACE', 'PROTOCOL_VERSION', 'badPayload', 'blobSizes', 'callToolResult', 'carried'],
    ...['computerUpdate', 'disconnecting'],
    ...['dpeCatalogue', 'dpeDocumentMetadata', 'dpeDocumentPages', 'dpeDocumentSummary'],
    ...['dpeElementDetail', 'dpePage', 'dpePageSummary', 'errorAck', 'events'],
    ...[
      'excessBytes',
      'failureIn',
      'failureResult',
      'getBlob',
      'getBlobReply',
      'getConfig',
      'getConfigReply',
      'getDesktop',
    ],
    ...[
      'getDesktopReply',
      'getFinder',
      'getFinderReply',
      'getResources',
      'getResourcesReply',
      'getSkill',
      'getSkillReply',
      'getSkills',
      'getSkillsReply',
      'getTools',
      'getToolsReply',
    ],
    ...['isKnownEvent', 'joinOffice', 'leaveOffice', 'listRoom', 'listRoomReply', 'longestTimeoutMs'],
    ...[
      'missingPart',
      'mostInFlight',
      'notices',
      'putBlob',
      'putBlobReply',
      'readAnswer',
      'readBlobPart',
      'readConfig',
      'readContents',
    ],
    ...[
      'readDesktop',
      'readFinder',
      'readPut',
      'readResource',
      'readResourceReply',
      'readResources',
      'readRoom',
      'readSkill',
      'readSkills',
    ],
    ...['readToolResult', 'readTools', 'refusal', 'resourceContents', 'seatNotice', 'shownInput'],
    ...[
      'shownResource',
      'shownServer',
      'sizes',
      'skillRef',
      'smcpTool',
      'toTimeoutMs',
      'toWireError',
      'toolCall',
    ],
    ...['toolCallCancel', 'toolCallCancelled', 'toolCallProgress', 'uploadLimits', 'wireCodes'],
  ],
};
describe('the public values', () => {
  it.each([
    ['a2c-actors', api, values['.']],
    ['a2c-actors/models', models, values['./models']],
    ['a2c-actors/transport', transport, values['./transport']],
    ['a2c-actors/wire', wire, values['./wire']],
  ])('are these and no others: %s', (_, module, expected) => {
    expect(Object.keys(module).sort()).toEqual(expected);
  });
});

// Needs links, for which Windows asks a right.
describe.skipIf(process.platform === 'win32')('the package, built from these sources', () => {
  const checkout = mkdtempSync(join(tmpdir(), 'a2c-package-'));
  const read = (file: string): string => readFileSync(join(checkout, file), 'utf8');
  const node = (...argv: string[]): string =>
    execFileSync(process.execPath, argv, { cwd: checkout, encoding: 'utf8' });
  beforeAll(() => {
    copyFileSync(join(root, 'package.json'), join(checkout, 'package.json'));
    symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'), 'dir');
    symlinkSync(join(root, 'dist'), join(checkout, 'dist'), 'dir');
  });
  afterAll(() => rmSync(checkout, { recursive: true }));

  it('exports these paths, each with its types, and has one command', () => {
    const { exports, bin, version } = JSON.parse(read('package.json')) as {
      exports: Record<string, { types: string; default: string } | string>;
      bin: Record<string, string>;
      version: string;
    };
    expect(Object.keys(exports).toSorted()).toEqual([...Object.keys(values), './package.json'].toSorted());
    const files = Object.values(exports).flatMap((target) =>
      typeof target === 'string' ? target : [target.types, target.default],
    );
    expect(files.filter((file) => !existsSync(join(checkout, file)))).toEqual([]);
    expect(Object.keys(bin)).toEqual(['a2c', 'a2c-fault-server']);
    expect(read(bin['a2c-fault-server'] ?? '')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(read(bin['a2c'] ?? '')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(node(bin['a2c'] ?? '', '--version')).toBe(`${version}\n`);
  });

  it('has commands that may be run, and no script that npm runs or warns of where the package is installed', () => {
    const { bin, scripts } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
    // A checkout is built by `dependencies` after `npm ci`, and a package by `prepack`. `npx a2c` runs neither.
    const ofInstall = [
      'preinstall',
      'install',
      'postinstall',
      'prepublish',
      'preprepare',
      'prepare',
      'postprepare',
    ];
    expect(Object.keys(scripts ?? {}).filter((name) => ofInstall.includes(name))).toEqual([]);
    expect(scripts).toMatchObject({ dependencies: 'npm run build', prepack: 'npm run build' });
    const modes = Object.values(bin ?? {}).map((file) => statSync(join(checkout, file)).mode & 0o111);
    expect(modes).toEqual([0o111, 0o111]);
  });

  it('gives by its name what the sources give', () => {
    const load = Object.keys(values).map((path) => `Object.keys(await import('a2c-actors${path.slice(1)}'))`);
    const program = `process.stdout.write(JSON.stringify([${load.join(',')}]))`;
    const loaded = JSON.parse(node('--input-type=module', '-e', program)) as string[][];
    expect(loaded.map((names) => names.sort())).toEqual(Object.values(values));
  });
});
