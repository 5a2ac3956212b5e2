import { existsSync, watch } from 'node:fs';
import { join } from 'node:path';
import { sha256Of } from '../fixtures/python-peers.ts';
import { computerName, newFolder, type AgentPeer, type CallEnd, type ProcessPeer } from './pair-peers.ts';

export interface Pair {
  readonly agent: AgentPeer;
  readonly office: ProcessPeer;
  readonly computer: ProcessPeer;
  another(): Promise<ProcessPeer>;
  readonly isOurs: { readonly office: boolean; readonly agent: boolean; readonly computer: boolean };
  readonly version: string;
}
export interface Feature {
  readonly name: string;
  readonly missing?: (pair: Pair) => boolean;
  readonly check: (pair: Pair) => Promise<void>;
}

const expectIt = (holds: boolean, ended: CallEnd): void => {
  if (holds) return;
  const { outcome, code, text } = ended;
  const whole = [outcome, code, text === '' ? 'no text' : text];
  throw new Error(whole.filter((part) => part !== undefined).join(', '));
};
const content = (tool: 'image' | 'file', bytes: number): Feature => ({
  name: `${tool} of ${bytes / 1_000} KB${tool === 'file' ? ' in a result' : ''}`,
  check: async ({ agent }) => {
    const ended = await agent.call(tool, { bytes }, 20);
    expectIt(!ended.isError && ended.sha256 === sha256Of(bytes), ended);
  },
});

async function hanging(agent: AgentPeer, timeoutS: number): Promise<{ readonly ended: Promise<CallEnd> }> {
  const folder = newFolder();
  const file = join(folder, 'called');
  const called = new Promise<void>((resolve) => {
    const watcher = watch(folder, () => {
      if (!existsSync(file)) return;
      watcher.close();
      resolve();
    });
  });
  const ended = agent.call('hang', { file }, timeoutS);
  const late = ended.then(({ text }) => Promise.reject(new Error(`ended before it ran: ${text}`)));
  await Promise.race([called, late]);
  late.catch(() => {});
  return { ended };
}
const expectUnknown = ({ isOurs }: Pair, ended: CallEnd): void =>
  expectIt(ended.isError && (!isOurs.agent || ended.outcome === 'unknown'), ended);

export const features: readonly Feature[] = [
  {
    name: 'tools that come after the join are heard',
    check: async ({ agent }) => agent.hears(['echo', 'die', 'add']),
  },
  {
    name: 'call of a JavaScript server',
    check: async ({ agent }) => {
      const ended = await agent.call('echo', { text: 'hällo 你好' }, 20);
      expectIt(!ended.isError && ended.text === 'hällo 你好', ended);
    },
  },
  {
    name: 'call of a FastMCP server',
    check: async ({ agent }) => {
      const ended = await agent.call('add', { a: 2, b: 3 }, 20);
      expectIt(!ended.isError && ended.text === '5', ended);
    },
  },
  {
    name: 'error of a tool',
    check: async ({ agent }) => {
      const ended = await agent.call('fail', {}, 20);
      expectIt(ended.isError && ended.text === 'no such thing', ended);
    },
  },
  {
    name: 'unknown tool',
    check: async ({ agent, isOurs }) => {
      const ended = await agent.call('nothing', {}, 20);
      expectIt(ended.isError && (!isOurs.agent || ended.code === 'ToolNotFound'), ended);
    },
  },
  {
    name: 'unknown computer',
    check: async ({ agent, isOurs }) => {
      const ended = await agent.call('echo', { text: '' }, 2, 'nobody');
      expectIt(ended.isError && (!isOurs.agent || ended.code === 'NotFound'), ended);
    },
  },
  {
    name: 'time-out of 1 s',
    check: async (pair) => {
      const { ended } = await hanging(pair.agent, 1);
      expectUnknown(pair, await ended);
    },
  },
  content('image', 40_000),
  content('image', 300_000),
  content('file', 300_000),
  content('image', 1_500_000),
  {
    name: 'get_config',
    missing: ({ isOurs, version }) =>
      (!isOurs.agent && version < '0.4') || (!isOurs.office && version < '0.2'),
    check: async ({ agent }) => {
      const servers = await agent.config();
      if (servers.join() !== 'fast,files,frail') throw new Error(`servers: ${servers.join() || 'none'}`);
    },
  },
  {
    name: 'get_desktop',
    check: async ({ agent }) => {
      const windows = await agent.desktop();
      if (windows.join() !== 'window://images/main\n\na window')
        throw new Error(`windows: ${windows.join()}`);
    },
  },
  {
    name: 'MCP server dies in mid-call',
    check: async (pair) => expectUnknown(pair, await pair.agent.call('die', {}, 5)),
  },
  {
    name: 'computer killed in mid-call',
    check: async (pair) => {
      const { ended } = await hanging(pair.agent, 8);
      const since = performance.now();
      await pair.computer.kill();
      expectUnknown(pair, await ended);
      // An office of this project reports the loss itself, long before the time limit of the call.
      if (pair.isOurs.office && performance.now() - since > 5_000)
        throw new Error(`the office did not say that '${computerName}' is gone`);
    },
  },
  {
    name: 'office killed in mid-call',
    check: async (pair) => {
      await pair.another();
      await pair.agent.sees('hang');
      const { ended } = await hanging(pair.agent, 8);
      const since = performance.now();
      await pair.office.kill();
      expectUnknown(pair, await ended);
      // An agent of this project knows at once that no answer will come.
      if (pair.isOurs.agent && performance.now() - since > 5_000)
        throw new Error('the agent waited for an office that is gone');
    },
  },
];
