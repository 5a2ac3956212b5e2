import { once } from 'node:events';
import { statSync, readdirSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { announceHost, runningHosts } from '../../adapters/inspector/registry.ts';
import { readTrace } from '../../machines/trace/reading.ts';
import { attachTo, traceOf, type AttachedPage } from '../../scenarios/fixtures/attached.ts';
import type { Agent, Computer, ComputerOptions, InspectOptions, Office } from '../index.ts';
import { createAgent, createOffice } from '../index.ts';
import { computerWith } from '../../scenarios/fixtures/booted.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { launched } from '../../scenarios/fixtures/hosted.ts';
import { oldPeer } from '../../scenarios/fixtures/entering.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const stateDir = testFolder('inspect');
const secret = 'hunter-2-hunter-2';
const computerOf = (more: ComputerOptions = {}): Promise<Computer> =>
  computerWith(
    { echo: launched('inspected', 'echo', { env: { API_TOKEN: secret } }) },
    { stateDir, ...more },
  );

/** A page that looks at a host, and was welcomed. */
async function looking(
  { debug }: Pick<Computer | Office | Agent, 'debug'>,
  options: InspectOptions = {},
): Promise<AttachedPage> {
  const page = await attachTo((await debug.inspect(options)).url);
  await page.welcome();
  return page;
}
/** Such a computer and a page of it, which end with their test. */
async function looked(options?: InspectOptions) {
  const computer = closedAfter(await computerOf());
  return { computer, page: closedAfter(await looking(computer, options)) };
}
/** Asks for all records, as a page does while it shows them; those that come follow in `rows`. */
const wantRecords = async (page: AttachedPage): Promise<void> =>
  expect(await page.say({ type: 'ask', id: 99, what: 'records', isWhole: true })).toMatchObject({ ok: true });
/** Calls `echo` until a call has a line of its own: one that lasts longer than a batch is told in records. */
async function calledInOneBatch(
  computer: Computer,
  page: AttachedPage,
  args: Record<string, unknown>,
): Promise<AttachedPage['rows'][number]> {
  for (;;) {
    const known = page.rows.length;
    const { reqId } = await computer.callTool('echo', args);
    const row = await page.until(({ rows }) =>
      rows
        .slice(known)
        .find(({ k, ev }) => k === 'call' || (k === 'said' && JSON.stringify(ev).includes(reqId))),
    );
    if (row.k === 'call') return row;
  }
}
/** Messages on the wire that the host of a page still has. */
async function messages(page: AttachedPage, id: number, wanted: object): Promise<Record<string, unknown>[]> {
  const answer = await page.say({ type: 'ask', id, what: 'messages', after: 0, ...wanted });
  if (!answer.ok) throw new Error(answer.error);
  return (answer.value as { frames: Record<string, unknown>[] }).frames;
}

describe('a page that looks at a computer', () => {
  // First: this process has the machines of a seat from the first join on.
  it('gets the charts of machines that the host has got since the page was opened', async () => {
    await using office = await createOffice({ port: 0 });
    const { computer, page } = await looked();
    await computer.join({ url: office.url });
    const ofLink = await page.until(({ messages: all }) =>
      all.map((message) => ('charts' in message ? message.charts?.['link'] : undefined)).find(Boolean),
    );
    expect(ofLink).toMatchObject({ kind: 'link' });
  });

  it('follows machines that run already, from a checkpoint on, as a trace that reads', async () => {
    const { computer, page } = await looked();
    const { host, mode, control, charts, lines } = await page.welcome();
    expect({ mode, control, kind: host.kind, name: host.name, pid: host.pid }).toEqual({
      ...{ mode: 'live', control: false, kind: 'computer', name: 'c1', pid: process.pid },
    });
    const [head, first] = page.rows;
    expect(head).toMatchObject({ k: 'head', profile: 'full', next: first?.s });
    const key = page.rows.find(({ k }) => k === 'key');
    const kinds = ((key?.['roots'] ?? []) as { kind: string }[]).map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['computer', 'client', 'process', 'catalog']));
    expect(Object.keys(charts)).toEqual(expect.arrayContaining([...new Set(kinds)]));

    await wantRecords(page);
    await computer.callTool('echo', { text: 'hello' });
    const step = await page.row(({ k, tr }) => k === 'step' && String(tr).startsWith('computer: '));
    // A step record contains only the part of the memory that changed.
    expect(step).toMatchObject({
      a: 'computer#1',
      ctx: expect.not.objectContaining({ self: 'computer#1' }) as object,
    });
    await page.row(({ k, a = '' }) => k === 'end' && a.includes('/call:'));
    const named = charts['call']?.transitions.map(({ id }) => id);
    const taken = page.rows.filter(({ k, a = '' }) => k === 'step' && a.includes('/call:'));
    const names = taken.flatMap(({ tr }) => tr as string[]);
    expect(names.length).toBeGreaterThan(0);
    expect(named).toEqual(expect.arrayContaining(names));

    const batches = page.messages.flatMap((message) => (message.type === 'records' ? message.lines : []));
    expect(lines).toContain('"k":"key"');
    expect(traceOf(page, batches)).toMatchObject({ ok: true });
  });

  it('is told nothing that the host knows to be secret', async () => {
    const { computer, page } = await looked();
    const args = { text: `the token is ${secret}`, password: 'also-hidden' };
    await calledInOneBatch(computer, page, args);
    await wantRecords(page);
    await computer.callTool('echo', args);
    await page.row(({ k, a = '' }) => k === 'end' && a.includes('/call:'));
    const all = JSON.stringify(page.messages);
    expect(all).not.toContain(secret);
    expect(all).not.toContain('also-hidden');
    expect(all).toContain('«redacted:');
  });

  it('costs nothing once it has left: its machines are inspected no more', async () => {
    await using computer = await computerOf();
    await (await looking(computer)).close();
    // The second page starts with a new recording, and sees everything that already runs.
    await using second = await looking(computer);
    expect(second.rows[1]?.s).toBe(1);
    expect(second.rows.find(({ k }) => k !== 'head' && k !== 'list')).toMatchObject({ k: 'key' });
    expect(await calledInOneBatch(computer, second, { text: 'again' })).toBeDefined();
  });

  it('comes late beside another one, and both have the same records', async () => {
    await using computer = await computerOf();
    await using first = await looking(computer);
    await computer.callTool('echo', { text: 'one' });
    await using second = await looking(computer);
    const begins = second.rows[1]?.s ?? 0;
    const { s } = await calledInOneBatch(computer, second, { text: 'two' });
    await first.row((row) => row.k === 'call' && row.s === s);
    const shared = (rows: typeof first.rows): typeof first.rows =>
      rows.filter((row) => row.s > begins && row.s <= s);
    expect(shared(first.rows)).toEqual(shared(second.rows.slice(1)));
  });

  it('gets a line for each call, and all records of each from when it shows them, as a page that showed them always', async () => {
    await using computer = await computerOf();
    await using late = await looking(computer);
    await using always = await looking(computer);
    await wantRecords(always);
    const call = await calledInOneBatch(computer, late, { text: 'early' });
    const endOf = (a: unknown) => (row: { k: string; a?: string }) => row.k === 'end' && row.a === a;
    expect(call).toMatchObject({ ev: { params: { text: 'early' } }, told: { outcome: 'succeeded' } });
    await always.row(endOf(call.a));
    expect(late.rows.some(endOf(call.a))).toBe(false);
    const steps = (call['steps'] as [string, number][]).map(([step, at]) => [
      step,
      always.rows.findLast((row) => row.s === at)?.k,
    ]);
    const told = ['asked in', 'found draw', 'sent out', 'answered in', 'ended said'];
    expect(steps.map((step) => step.join(' '))).toEqual(told);
    await wantRecords(late);
    const from = late.rows.findLast(({ k }) => k === 'key')?.s ?? 0;
    await computer.callTool('echo', { text: 'seen' });
    const isNext = ({ k, a, s }: { k: string; a?: string; s: number }): boolean =>
      k === 'end' && a?.includes('/call:') === true && s > from;
    const { s } = await late.row(isNext);
    await always.row(isNext);
    const recordsOf = ({ rows }: AttachedPage): typeof rows =>
      rows.filter((row) => row.k !== 'key' && row.k !== 'list' && row.s > from && row.s <= s);
    expect(recordsOf(late).length).toBeGreaterThan(10);
    expect(recordsOf(late).map(({ ch: _, ...row }) => row)).toEqual(
      recordsOf(always).map(({ ch: _, ...row }) => row),
    );
    expect(await late.say({ type: 'ask', id: 7, what: 'records', isWhole: false })).toMatchObject({
      ok: true,
    });
    const known = late.rows.length;
    await calledInOneBatch(computer, late, { text: 'later' });
    expect(late.rows.slice(known).some(({ k, a }) => k === 'end' && a?.includes('/call:'))).toBe(false);
  });

  it('gets each change of the state of a server, also while it shows no records', async () => {
    const { computer, page } = await looked();
    await computer.servers.stop('echo');
    const step = await page.row(({ k, tr }) => k === 'step' && String(tr).startsWith('client: '));
    expect(step.a).toContain('client:echo');
  });

  it('may have the trace that its host has of itself, where it has one', async () => {
    for (const record of [{}, false] as const) {
      await using computer = await computerOf({ record });
      await using page = await looking(computer);
      const answer = await page.say({ type: 'ask', id: 1, what: 'trace' });
      if (record) {
        const read = readTrace((answer as unknown as { value: string }).value);
        const begins = { ch: 'host:computer', ev: { type: 'createComputer' } };
        expect(read).toMatchObject({ ok: true, trace: { head: { profile: 'boundary' } } });
        expect(read.ok && read.trace.lines[0]?.record).toMatchObject(begins);
      } else
        expect(answer).toMatchObject({
          ok: false,
          error: expect.stringContaining('records nothing') as string,
        });
    }
  });

  it('gets the number of many tools, and the tools when it asks for them, without secrets', async () => {
    const code = `
      const tools = Array.from({ length: 300 }, (_, n) => ({ name: 'tool_' + n, description: 'Bearer abcdefghijklmnop0123456789', inputSchema: { type: 'object' } }));
      const info = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'many', version: '1' } };
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line);
        const result = method === 'initialize' ? info : method === 'tools/list' ? { tools } : {};
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });`;
    const many = { command: process.execPath, args: ['-e', code] };
    await using computer = await computerWith({ many });
    await using page = await looking(computer);
    const { lines } = await page.welcome();
    expect(lines).not.toContain('tool_17');
    const [, number] = /"entries":\{"\$later":\[(\d+),300\]\}/.exec(lines) ?? [];
    const answer = await page.say({ type: 'ask', id: 1, what: 'value', number: Number(number) });
    const text = JSON.stringify(answer);
    expect(answer.ok && text).toContain('tool_17');
    expect(text).toContain('«redacted:');
    expect(text).not.toContain('abcdefghijklmnop');
    const gone = await page.say({ type: 'ask', id: 2, what: 'value', number: 99_999 });
    expect(gone).toMatchObject({ ok: false, error: 'The host does not have this value any more' });
  });

  it('may ask what a server wrote, and order nothing unless it is allowed to', async () => {
    const { computer, page } = await looked();
    expect(await page.say({ type: 'ask', id: 1, what: 'stderr', server: 'echo' })).toMatchObject({
      ...{ ok: true, value: { lines: [] } },
    });
    const refused = await page.say({ type: 'control', id: 2, verb: 'stop', target: 'echo' });
    expect(refused).toMatchObject({ ok: false, error: expect.stringContaining('--allow-control') as string });
    expect(computer.status().servers[0]?.state).toBe('ready');
  });

  it('stops, starts and retries servers and cancels calls when it is allowed to, and is told what came of it', async () => {
    const { computer, page } = await looked({ allowControl: true });
    expect((await page.welcome()).control).toBe(true);
    const order = (id: number, verb: 'stop' | 'start' | 'retry' | 'cancel', target: string) =>
      page.say({ type: 'control', id, verb, target });
    expect(await order(1, 'stop', 'echo')).toMatchObject({ ok: true });
    expect(computer.status().servers[0]?.state).toBe('idle');
    expect(await order(2, 'start', 'echo')).toMatchObject({ ok: true });
    expect(computer.status().servers[0]?.state).toBe('ready');
    expect(await order(3, 'retry', 'nobody')).toMatchObject({
      ...{ ok: false, error: expect.stringContaining('nobody') as string },
    });
    expect(await order(4, 'cancel', 'no-such-call')).toMatchObject({ ok: true });
  });

  it('can have the messages of a server, a link and a call, also of before it came, secrets hidden', async () => {
    await using office = await createOffice({ port: 0 });
    await using computer = await computerOf();
    await computer.join({ url: office.url });
    await computer.callTool('echo', { text: secret });
    await using agent = await createAgent({ url: office.url, name: 'a1' });
    await agent.callTool('c1', 'echo', { text: 'over the wire' }, { reqId: 'r-1' });
    await using page = await looking(computer);
    const ofServer = await messages(page, 1, { a: 'computer/client:echo#99' });
    const told = ofServer.map(({ via, dir, name }) => [via, dir, name].join(' '));
    expect(told).toEqual(expect.arrayContaining(['mcp out initialize', 'mcp out tools/call', 'mcp in ']));
    expect(JSON.stringify(ofServer)).toContain('«redacted:');
    expect(JSON.stringify(ofServer)).not.toContain(secret);
    const ofLink = await messages(page, 2, { a: 'computer/link' });
    expect(ofLink.map(({ dir, name }) => `${String(dir)} ${String(name)}`)).toEqual(
      expect.arrayContaining(['in notify:enter_office', 'in client:tool_call', 'out client:tool_call']),
    );
    const by = ofServer.findLast(({ name }) => name === 'tools/call')?.['by'];
    const ofCall = await messages(page, 3, { by: String(by), req: 'r-1' });
    expect(ofCall.map(({ via, dir, name = 'answer' }) => [via, dir, name].join(' '))).toEqual([
      ...['socket in client:tool_call', 'mcp out tools/call', 'mcp in answer', 'socket out client:tool_call'],
    ]);
    expect(ofCall[2]).toMatchObject({ by, json: { result: { content: [{ type: 'text' }] } } });
    const last = Number(ofCall.at(-1)?.['s']);
    expect(await messages(page, 4, { req: 'r-1', after: last })).toEqual([]);
  });

  it('has for an office the calls that it relays, and while it is open the messages of its seats', async () => {
    await using office = await createOffice({ port: 0 });
    await using agent = await createAgent({ url: office.url, name: 'a1' });
    await using computer = await computerOf();
    await computer.join({ url: office.url });
    await agent.callTool('c1', 'echo', { text: 'before' }, { reqId: 'r-1' });
    await using page = await looking(office);
    const past = await page.until(({ messages: all }) =>
      all.find((each) => each.type === 'past' && each.text.includes('r-1')),
    );
    expect(JSON.stringify(past)).not.toContain('before');
    await agent.callTool('c1', 'no_such_tool', {}, { reqId: 'r-2' });
    const end = await page.row(
      ({ k, dir, ...row }) => k === 'frame' && dir === 'out' && row['req'] === 'r-2',
    );
    const said = {
      ack: 'client:tool_call',
      agent: 'a1',
      outcome: 'failed',
      message: expect.any(String) as string,
    };
    expect(end).toMatchObject({ via: 'relay', json: said });
    const ofCall = await messages(page, 1, { req: 'r-2' });
    expect(ofCall.map(({ dir, name, a }) => [dir, name, String(a).replace(/:.*/, '')].join(' '))).toEqual(
      expect.arrayContaining(['in client:tool_call office/seat', 'out client:tool_call office/seat']),
    );
  });

  it('has for an office what a peer of an older version misses, also in its past', async () => {
    await using office = await createOffice({ port: 0 });
    await using agent = await createAgent({ url: office.url, name: 'a1' });
    const old = await oldPeer(office.url);
    await using page = await looking(office);
    const roots = (page.rows.find(({ k }) => k === 'key')?.['roots'] ?? []) as {
      snapshot: { context: Record<string, unknown> };
    }[];
    const seats = roots.map(({ snapshot }) => snapshot.context).filter((context) => 'seat' in context);
    const lacking = { version: '0.2.0', misses: ['the notice of changed tools', 'files of agents'] };
    expect(seats).toEqual([
      expect.not.objectContaining({ misses: expect.anything() as unknown }),
      expect.objectContaining({ seat: { office: 'local', role: 'computer', name: 'old' }, ...lacking }),
    ]);
    await page.until(({ messages: all }) =>
      all.find((each) => each.type === 'past' && each.text.includes('the notice of changed tools')),
    );
    expect(agent.status().link.state).toBe('joined');
    old.close();
  });
});

describe('hosts that can be looked at', () => {
  it('are listed for their user alone, until they close', async () => {
    await using computer = await computerOf();
    const inspection = await computer.debug.inspect();
    const folder = join(stateDir, 'inspectors');
    expect(await runningHosts(stateDir)).toMatchObject([
      { kind: 'computer', name: 'c1', url: inspection.url },
    ]);
    // Windows has no modes.
    if (process.platform !== 'win32')
      for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    await inspection.close();
    expect(await runningHosts(stateDir)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('stay listed while they do not answer, because they may be suspended', async () => {
    const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/`;
    const facts = { kind: 'up', name: 'stopped', pid: 1, started: null, version: '1', url } as const;
    const forget = announceHost(stateDir, facts);
    const isSilent = { ...facts, answers: false };
    expect([await runningHosts(stateDir), await runningHosts(stateDir)]).toEqual([[isSilent], [isSilent]]);
    silent.close();
    await once(silent, 'close');
    expect(await runningHosts(stateDir)).toEqual([]);
    forget();
  });

  it('are offices and agents, too', async () => {
    await using office = await createOffice({ port: 0 });
    await using agent = await createAgent({ url: office.url, name: 'a1' });
    const pages = await Promise.all([looking(office), looking(agent)]);
    const hosts = await Promise.all(pages.map((page) => page.welcome()));
    expect(hosts.map(({ host }) => [host.kind, host.name])).toEqual([
      ['office', office.url],
      ['agent', 'a1'],
    ]);
    expect(pages[0]?.rows.find(({ k }) => k === 'key')).toMatchObject({
      roots: [{ kind: 'office' }, { kind: 'seat' }],
    });
  });

  it('say which port they cannot have', async () => {
    await using computer = await computerOf();
    await using inspection = await computer.debug.inspect();
    const { port } = new URL(inspection.url);
    await expect(computer.debug.inspect({ port: Number(port) })).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining(port) as string,
    });
  });
});
