import type { Emit, ListKind, Capabilities, SessionFact } from '../../../machines/kernel/ports.ts';
import { ScriptedServers } from '../../stage/scripted/servers.ts';
import type { Act, Script } from '../../stage/scripted/script.ts';
import { toolsOnly } from '../../stage/scripted/script.ts';
import { VirtualClock } from '../../stage/virtual-clock.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import { registered } from '../registered.ts';
import { sessionContract } from './session.contract.ts';
import { remoteSessionContract, sessionMcpContract } from './session-mcp.contract.ts';
import type { ContractSession, ServerBehaviour, ServerTool, SessionWorld } from './session.harness.ts';

const text = (value: unknown) => ({ content: [{ type: 'text', text: value }] });
const answers = (value: unknown): Act => ({ answers: text(value) });
interface Labelled {
  readonly label: unknown;
  readonly late?: unknown;
}

/** What a server remembers of its life. */
interface Memory {
  readonly methods: string[];
  readonly subscribed: Set<unknown>;
}
/** The tools of the contract. What they do to the bytes of a stream is the real transport's business. */
function contractTools({ methods, subscribed }: Memory): Readonly<Record<ServerTool, Act>> {
  const hanging = new Set<Labelled>();
  const cancelled: unknown[] = [];
  return {
    echo: (call) => answers(call.arguments['text']),
    fail: { answers: { ...text('no such thing'), isError: true } },
    error: { errors: 'bad arguments', code: -32602 },
    hang: (call) => {
      const asked: Labelled = { label: call.arguments['label'], late: call.arguments['late'] };
      hanging.add(asked);
      return {
        never: true,
        cancelled: () => {
          cancelled.push(asked.label);
          hanging.delete(asked);
          return asked.late === true ? text('late') : undefined;
        },
      };
    },
    seen: () => answers(JSON.stringify({ hanging: [...hanging].map(({ label }) => label), cancelled })),
    slow: (call) => ({ answers: text('done'), afterMs: Number(call.arguments['ms']) }),
    big: (call) => answers('x'.repeat(Number(call.arguments['bytes']))),
    die: { dies: { code: 3 } },
    hangUp: { hangsUp: true },
    garbage: answers('still here'),
    stringId: answers('right'),
    asksBack: answers(JSON.stringify({ jsonrpc: '2.0', id: '1000000', result: {} })),
    change: (call) => {
      call.announce((call.arguments['list'] ?? 'tools') as ListKind);
      return answers('changed');
    },
    touch: (call) => {
      if (subscribed.has(call.arguments['uri'])) call.update(String(call.arguments['uri']));
      return answers('touched');
    },
    work: (call) => {
      for (const n of [1, 2]) call.progress(n, 2, `step ${n}`);
      return { answers: text('done'), progresses: { everyMs: 5 } };
    },
    pair: (call) => ({
      answers: text(call.arguments['text']),
      afterMs: call.arguments['text'] === 'first' ? 9 : 1,
    }),
    methods: () => answers(JSON.stringify(methods)),
    // No scripted server writes these lines: they are the real transports' business.
    meta: answers('{}'),
    log: answers('said'),
    askHost: answers('{}'),
    takeBack: answers('taken back'),
    malformed: { errors: 'the answer is not what JSON-RPC asks for' },
  };
}

const info = { name: 'fixture', version: '1.2.3', protocolVersion: '2025-06-18', capabilities: toolsOnly };
const everything: Capabilities = {
  ...toolsOnly,
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: true,
  logging: true,
};
/** Anew for each life of a server: what it remembers is forgotten with it. */
const echoing = (more: Script): Script => ({
  at: () => {
    const memory: Memory = { methods: [], subscribed: new Set() };
    return { info, tools: contractTools(memory), methods: methodsOf(memory), ...more };
  },
});
const methodsOf = ({ subscribed, methods }: Memory): NonNullable<Script['methods']> => ({
  'resources/read': ({ arguments: { uri } }) =>
    String(uri).startsWith('note://')
      ? { answers: { contents: [{ uri, text: `content of ${String(uri)}` }] } }
      : {
          ...{ errors: 'no such resource', code: -32002 },
          data: { uri, ...(String(uri).startsWith('huge://') && { more: 'x'.repeat(5_000) }) },
        },
  'resources/subscribe': ({ arguments: { uri } }) => {
    methods.push('resources/subscribe');
    subscribed.add(uri);
    return { answers: {} };
  },
  'resources/unsubscribe': ({ arguments: { uri } }) => {
    subscribed.delete(uri);
    return { answers: {} };
  },
  'prompts/get': ({ arguments: { name } }) => ({
    answers: { messages: [{ role: 'user', content: { type: 'text', text: `${String(name)} me` } }] },
  }),
  'completion/complete': { answers: { completion: { values: ['xa', 'xb'] } } },
});
/** Where there is no version in common. */
const speaks = (supported: string): Script => ({
  initialize: {
    refuses: {
      code: 'NotStartable',
      message: `we asked for protocol version 2025-11-25, and the server supports ${supported}`,
      details: { asked: '2025-11-25', supported: [supported] },
      remedy: 'Take a version of the server that speaks one of 2025-11-25, 2025-06-18',
    },
    afterMs: 1,
  },
});
const unauthorized: Failure = { code: 'Unauthorized', message: 'it wants a login', remedy: 'log in' };
const accessDenied: Failure = { code: 'AccessDenied', message: 'it refuses this login', remedy: 'ask' };
const unknownMethod: Act = { errors: 'Method not found', code: -32601 };

const scripts = (): Readonly<Record<ServerBehaviour | 'nothing', Script>> => ({
  echo: echoing({}),
  mute: { initialize: 'never' },
  refuses: { initialize: 'error' },
  foreignVersion: speaks('1999-12-31'),
  refusesVersion: speaks('2999-01-01'),
  diesEarly: { initialize: 'dies' },
  malformedInitialize: { initialize: 'error' },
  noTools: echoing({ info: { ...info, capabilities: { ...toolsOnly, tools: null } } }),
  pages: echoing({ lists: () => ['first', 'second'], malformed: 1 }),
  endlessPages: echoing({ listMs: 'error' }),
  full: echoing({
    info: { ...info, capabilities: everything },
    malformed: 1,
    resources: [{ uri: 'note://1' }, { uri: 'note://2' }],
    resourceTemplates: [{ uriTemplate: 'note://{id}' }, { uriTemplate: 'page://{id}' }],
    prompts: [{ name: 'greet' }, { name: 'part' }],
  }),
  nothing: { missing: true },
  lacksPrompts: echoing({
    info: { ...info, capabilities: { ...toolsOnly, prompts: { listChanged: false } } },
    methods: { 'prompts/list': unknownMethod },
  }),
});

/** The servers that all scenarios play with. */
function createScriptedWorld(isRemote: boolean): SessionWorld {
  const clock = new VirtualClock();
  const resultBytes = 64 * 1024;
  let rejects: Failure | undefined;
  let lives = 0;
  /** Lives up to this one are over: the server knows nothing of them any more. */
  let forgotten = 0;
  const lifeOf = (script: Script): Script => {
    const life = (lives += 1);
    const door = (): 'forgotten' | Failure | undefined => (life <= forgotten ? 'forgotten' : rejects);
    return { ...script, door, ...(rejects && { initialize: { refuses: rejects } }) };
  };
  const servers = new ScriptedServers(
    clock,
    Object.fromEntries(
      Object.entries(scripts()).map(([name, script]) => [
        name,
        { ...script, at: (n: number) => lifeOf({ ...script, ...script.at?.(n) }) },
      ]),
    ),
    { resultBytes },
  );
  let count = 0;
  const settle = async (): Promise<void> => {
    while (clock.step());
  };
  const start = (server: string): string | null => {
    if (isRemote) return null;
    const key = `process:${(count += 1)}`;
    const facts: unknown[] = [];
    servers.process(key, { server, generation: 1, spec: 1, key }, (fact) => facts.push(fact));
    while (facts.length === 0 && clock.step());
    return key;
  };
  const open = (server: string, process: string | null, emit: Emit<SessionFact>): ContractSession => {
    const key = `session:${(count += 1)}`;
    const instance = servers.session(key, { server, generation: 1, spec: 1, key, process }, emit);
    return { key, close: () => instance.close() };
  };
  return {
    resultBytes,
    open: (behaviour, emit) => open(behaviour, start(behaviour), emit),
    openOnNothing: (emit) => open('nothing', isRemote ? null : 'process:nobody', emit),
    ask: servers.request,
    remote: {
      forget: () => {
        forgotten = lives;
      },
      reject: (status) => {
        rejects = status === 401 ? unauthorized : accessDenied;
      },
    },
    until: (holds) => {
      while (!holds() && clock.step());
      return holds() ? Promise.resolve() : Promise.reject(new Error('nothing is left to happen'));
    },
    cancels: async () => {
      await settle();
      return servers.heard.filter((line) => line.startsWith('cancelled')).length;
    },
    settled: async () => {
      for (const server of Object.keys(scripts())) servers.kill(server, { signal: 'SIGKILL' });
      await settle();
    },
    dispose: settle,
  };
}

for (const isRemote of [false, true]) {
  const name = isRemote ? 'scripted servers without a process' : 'scripted servers';
  const subject = { createWorld: () => createScriptedWorld(isRemote) };
  registered(`session port: ${name}`, sessionContract(subject));
  registered(`session port, the whole of MCP: ${name}`, sessionMcpContract(subject));
}
registered(
  'session port, a remote server: scripted servers',
  remoteSessionContract({ createWorld: () => createScriptedWorld(true) }),
);
