import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket as NetSocket } from 'node:net';
import { io } from 'socket.io-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createAgent,
  createOffice,
  type Agent,
  type Computer,
  type ComputerStatus,
  type Office,
} from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';
import { anyTiming } from '../../machines/kernel/timing.ts';

/** Tests of one cut connection while the other one holds; three-processes.full.test.ts kills the office itself. */
const file = fixtureFile('mcp-server.mjs');
const server = (behaviour: string): object => ({
  command: process.execPath,
  args: [file, behaviour],
  autoApprove: ['all'],
});
const config = { mcpServers: { main: server('echo'), more: server('pages') } };
const timing = { linkBackoffMs: 20 };

/** TCP line that can be cut: all its connections break, and new ones fail until it is mended. */
class Line {
  isTruncated = false;
  readonly #ends = new Set<NetSocket>();
  readonly #server: Server;
  constructor(port: number) {
    this.#server = createServer((near) => {
      if (this.isTruncated) return void near.destroy();
      const far = connect(port, '127.0.0.1');
      for (const end of [near, far]) {
        this.#ends.add(end);
        end.on('close', () => this.#ends.delete(end)).on('error', () => {});
      }
      near.pipe(far).pipe(near);
    }).listen(0, '127.0.0.1');
  }
  async url(): Promise<string> {
    if (!this.#server.listening) await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  cut(): void {
    this.isTruncated = true;
    for (const end of this.#ends) end.destroy();
  }
  mend(): void {
    this.isTruncated = false;
  }
  close(): void {
    this.#server.close();
    this.cut();
  }
}

let office: Office;
let line: Line;
const opened: AsyncDisposable[] = [];
const kept = <T extends AsyncDisposable>(one: T): T => (opened.push(one), one);
beforeEach(async () => {
  office = await createOffice({ port: 0 });
  line = new Line(office.port);
});
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
  line.close();
  await office.close();
});
/** Computer that joins the office only after its servers are ready, so that no change of the start is announced later. */
const computerAt = async (url: string): Promise<Computer> => {
  const computer = kept(await bootedComputer({ name: 'c1', config, timing: anyTiming(timing) }));
  await computer.join({ url });
  return computer;
};
const agentAt = async (url: string): Promise<Agent> =>
  kept(await createAgent({ url, timing: anyTiming(timing) }));

const linkOf = (one: Computer | Agent, wanted: string): Promise<void> =>
  new Promise((resolve) => {
    // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- a union of both cannot be called
    const stop = (one.on as Computer['on'])('link.changed', ({ state }) => {
      if (state !== wanted) return;
      stop();
      resolve();
    });
  });
function heardBy(agent: Agent): { heard: string[]; until: (line: string) => Promise<void> } {
  const heard: string[] = [];
  const waiting = new Set<() => void>();
  const hear = (text: string): void => {
    heard.push(text);
    for (const retry of waiting) retry();
  };
  agent.on('computer.left', ({ computer }) => hear(`${computer} left`));
  agent.on('computer.joined', ({ computer }) => hear(`${computer} joined`));
  agent.on('tools.changed', ({ value }) => hear(`${value.length} tools`));
  const until = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const retry = (): void => void (heard.at(-1) === text && resolve());
      waiting.add(retry);
      retry();
    });
  return { heard, until };
}
/** Labels of the calls that hang in the server and of those that were cancelled; the server reads its messages in order. */
async function seenBy(computer: Computer): Promise<{ hanging: string[]; cancelled: string[] }> {
  const { result } = await computer.callTool('seen');
  return JSON.parse((result as unknown as { content: { text: string }[] }).content[0]?.text ?? '');
}
const namesOf = async (agent: Agent): Promise<string[]> =>
  (await agent.tools('c1')).tools.map((tool) => tool.name);

describe('a computer whose line breaks', () => {
  it('joins again by itself: the agent sees it leave, then enter, and has its tools of now', async () => {
    const computer = await computerAt(await line.url());
    const agent = await agentAt(office.url);
    const all = await namesOf(agent);
    const { heard, until } = heardBy(agent);
    const call = agent.callTool('c1', 'hang', { label: 'mine', late: true }, { reqId: 'r1' });
    while (!(await seenBy(computer)).hanging.includes('mine'));

    const waits = linkOf(computer, 'waiting');
    line.cut();
    expect(await call).toMatchObject({
      outcome: 'unknown',
      failure: { code: 'ComputerLost', wireCode: 404 },
    });
    await waits;
    expect(await seenBy(computer)).toEqual({ hanging: [], cancelled: ['mine'] });
    expect(await agent.callTool('c1', 'echo')).toMatchObject({
      outcome: 'failed',
      failure: { code: 'NotFound' },
    });
    await computer.servers.stop('more');
    line.mend();
    await until(`${all.length - 2} tools`);
    expect(heard).toEqual(['c1 left', 'c1 joined', `${all.length - 2} tools`]);
    expect(await namesOf(agent)).toEqual(all.filter((name) => name !== 'first' && name !== 'second'));
    const again = await agent.callTool('c1', 'echo', { text: 'new' }, { reqId: 'r1' });
    expect(again.result).toMatchObject({ content: [{ text: 'new' }] });
    expect(computer.status().link).toEqual({
      state: 'joined',
      reason: null,
      refusal: null,
    } satisfies ComputerStatus['link']);
  });

  it('announces what changed while it was away once, and only that', async () => {
    const computer = await computerAt(await line.url());
    const socket = io(`${office.url}/smcp?a2c_version=0.3.0`, { forceNew: true, transports: ['websocket'] });
    opened.push({ [Symbol.asyncDispose]: () => Promise.resolve(void socket.disconnect()) });
    await socket.emitWithAck('server:join_office', { role: 'agent', name: 'raw', office_id: 'local' });
    const heard: string[] = [];
    const next = (event: string): Promise<void> =>
      new Promise((resolve) => socket.once(event, () => resolve()));
    socket.onAny((event: string) => heard.push(event));
    const breakWhile = async (work: () => Promise<void>): Promise<void> => {
      const [waits, joins] = [linkOf(computer, 'waiting'), linkOf(computer, 'joined')];
      line.cut();
      await waits;
      await work();
      line.mend();
      await joins;
    };
    await breakWhile(async () => {});
    const changed = next('notify:update_tool_list');
    await breakWhile(() => computer.servers.stop('more'));
    await changed;
    const again = next('notify:update_tool_list');
    await computer.servers.start('more');
    await again;
    const came = ['notify:leave_office', 'notify:enter_office'];
    expect(heard).toEqual([...came, ...came, 'notify:update_tool_list', 'notify:update_tool_list']);
  });
});

describe('an agent whose line breaks', () => {
  it('joins again by itself: what was pending ends, what is asked meanwhile is refused, and all is known again', async () => {
    const computer = await computerAt(office.url);
    const agent = await agentAt(await line.url());
    const all = await namesOf(agent);
    const { heard, until } = heardBy(agent);
    const call = agent.callTool('c1', 'hang', { label: 'mine', late: true }, { reqId: 'r1' });
    while (!(await seenBy(computer)).hanging.includes('mine'));

    const waits = linkOf(agent, 'waiting');
    line.cut();
    expect(await call).toMatchObject({ outcome: 'unknown', end: 'unknown', failure: { code: 'LinkLost' } });
    await waits;
    expect(agent.status().computers).toEqual([]);
    const refused = await agent.callTool('c1', 'hang', { label: 'offline' });
    expect(refused).toMatchObject({ outcome: 'failed', failure: { code: 'LinkLost' } });
    await expect(agent.room()).rejects.toMatchObject({ code: 'LinkLost' });
    await computer.servers.stop('more');
    const joins = linkOf(agent, 'joined');
    line.mend();
    await joins;
    await until(`${all.length - 2} tools`);
    expect(heard).toEqual(['c1 left', 'c1 joined', `${all.length - 2} tools`]);
    // The seat of the agent is free again, and the server has received only the call that was sent.
    expect((await agent.room()).map(({ role }) => role).sort()).toEqual(['agent', 'computer']);
    const again = await agent.callTool('c1', 'echo', { text: 'new' }, { reqId: 'r1' });
    expect(again.result).toMatchObject({ content: [{ text: 'new' }] });
    expect(await seenBy(computer)).toEqual({ hanging: [], cancelled: ['mine'] });
  });
});
