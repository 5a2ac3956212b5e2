import type { Give, SessionFact } from '../../machines/ports.ts';
import { ScriptedServers, type Act, type Script } from '../scripted/servers.ts';
import { toolsOnly } from '../scripted/script.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { sessionContract } from './session.contract.ts';
import type { ContractSession, ServerBehaviour, ServerTool, SessionWorld } from './session.stage.ts';

const text = (value: unknown) => ({ content: [{ type: 'text', text: value }] });
const answers = (value: unknown): Act => ({ answers: text(value) });
interface Labelled {
  readonly label: unknown;
  readonly late?: unknown;
}

/** The tools of the contract. What they do to the bytes of a stream is the real transport's business. */
function contractTools(): Readonly<Record<ServerTool, Act>> {
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
    big: (call) => answers('x'.repeat(Number(call.arguments['bytes']))),
    die: { dies: { code: 3 } },
    hangUp: { hangsUp: true },
    garbage: answers('still here'),
    stringId: answers('right'),
    asksBack: answers(JSON.stringify({ jsonrpc: '2.0', id: '1000000', result: {} })),
    change: (call) => {
      call.announce();
      return answers('changed');
    },
    malformed: { errors: 'the answer is not what JSON-RPC asks for' },
  };
}

const info = { name: 'fixture', version: '1.2.3', protocolVersion: '2025-06-18', offers: toolsOnly };
const scripts = (): Readonly<Record<ServerBehaviour, Script>> => {
  const echo: Script = { info, tools: contractTools() };
  return {
    echo,
    mute: { initialize: 'never' },
    refuses: { initialize: 'error' },
    diesEarly: { initialize: 'dies' },
    malformedInitialize: { initialize: 'error' },
    noTools: { ...echo, info: { ...info, offers: { ...toolsOnly, tools: null } } },
    pages: { ...echo, lists: () => ['first', 'second'], malformed: 1 },
    endlessPages: { ...echo, listMs: 'error' },
  };
};

/** The servers that all scenarios play with. */
function createScriptedWorld(): SessionWorld {
  const clock = new VirtualClock();
  const resultBytes = 64 * 1024;
  const servers = new ScriptedServers(clock, scripts(), { resultBytes });
  let count = 0;
  const settle = async (): Promise<void> => {
    while (clock.step());
  };
  const start = (server: string): string => {
    const key = `process:${(count += 1)}`;
    const facts: unknown[] = [];
    servers.process(key, { server, generation: 1, key }, (fact) => facts.push(fact));
    while (facts.length === 0 && clock.step());
    return key;
  };
  const open = (server: string, process: string, give: Give<SessionFact>): ContractSession => {
    const key = `session:${(count += 1)}`;
    const leaf = servers.session(key, { server, generation: 1, key, process }, give);
    return { key, close: () => leaf.close() };
  };
  return {
    resultBytes,
    open: (behaviour, give) => open(behaviour, start(behaviour), give),
    openOnNothing: (give) => open('nothing', 'process:nobody', give),
    ask: servers.ask,
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

sessionContract('scripted servers', createScriptedWorld);
