import { afterEach, describe, expect, it } from 'vitest';
import {
  type AskedWith,
  type ElicitParams,
  createComputer,
  type ComputerOptions,
} from '../../../actors/index.ts';
import { createPresenter } from '../../../actors/presenter/index.ts';
import type { Trace } from '../../../machines/trace/reading.ts';
import { customerConfig, recordedCustomers } from '../../fixtures/customers.ts';
import { Harness } from '../../stage/harness.ts';
import { recorderOf } from '../../stage/recording.ts';
import { readBack } from '../again/recorded-again.ts';
import { virtualTime, type VirtualTime } from './virtual-time.ts';
import { traceOf, worldOf, type World } from './world.ts';
import { foreign } from '../../../machines/config/config-input.ts';

const [died, hung] = await Promise.all([recordedCustomers('die'), recordedCustomers('hang')]);
let time: VirtualTime | undefined;
afterEach(async () => {
  await time?.[Symbol.asyncDispose]();
  time = undefined;
});
const begin = (): VirtualTime => (time = virtualTime());
const mine: ComputerOptions = { name: 'mine', config: foreign(customerConfig('fine')) };
const opened = (world: World, more: ComputerOptions = {}) =>
  begin().run(createComputer({ ...mine, confirm: () => 'allow', ...more, ...world.computer }));

describe('a world of a trace', () => {
  it('has the recorded death for the code of a user, without a process', async () => {
    const world = worldOf(died);
    await using computer = await opened(world);
    const good = await time?.run(computer.callTool('report', { customer: 'Bolt' }));
    expect(good).toMatchObject({ outcome: 'succeeded', result: { content: [{ text: 'report Bolt' }] } });
    const bad = await time?.run(computer.callTool('report', { customer: 'ACME' }));
    expect(bad).toMatchObject({
      outcome: 'unknown',
      failure: { code: 'ServerLost', details: { exit_code: 3, stderr: 'no such customer' } },
    });
    expect(world.misses).toEqual([]);
    expect(world.unused).toEqual([]);
  });
  it('is red for a confirm that never says yes, and green for one that was mended', async () => {
    const outcomes: string[] = [];
    for (const confirm of [() => new Promise<never>(() => {}), () => Promise.resolve('allow' as const)]) {
      const world = worldOf(died);
      await using computer = await opened(world, { confirm });
      const { end } = (await time?.run(computer.callTool('report', { customer: 'Bolt' }))) ?? {};
      outcomes.push(`${end}, ${world.unused.length} unused`);
      await computer.close();
      await time?.[Symbol.asyncDispose]();
    }
    expect(outcomes).toEqual(['refused, 2 unused', 'succeeded, 1 unused']);
  });
  it('lets a call run into its time limit in no time', async () => {
    await using computer = await opened(worldOf(hung));
    await time?.run(computer.callTool('report', { customer: 'Bolt' }));
    const before = time?.now() ?? 0;
    const late = await time?.run(computer.callTool('report', { customer: 'ACME' }));
    expect(late).toMatchObject({ end: 'timedOut', durationMs: 60_000 });
    expect(time?.now()).toBe(before + 60_000);
  });
  it('says what was asked that is not recorded, and what is nearest', async () => {
    const world = worldOf(died);
    await using computer = await opened(world);
    const { failure } = (await time?.run(computer.callTool('report', { customer: 'Acme' }))) ?? {};
    expect(failure?.message).toMatch(
      /Not recorded in .*: tools\/call report \{"customer":"Acme"\}\. The nearest is record \d+, tools\/call report \{"customer":"Bolt"\}, which differs in arguments\.customer\. Ask what was recorded/,
    );
    expect(world.misses).toMatchObject([{ server: 'customers', method: 'tools/call' }]);
    expect(world.unused).toHaveLength(2);
  });
  it.each([
    ['the name of the tool', { match: 'tool' }, 'succeeded'],
    [
      'a function',
      { match: ({ method }: { method: string }, other: { method: string }) => method === other.method },
      'succeeded',
    ],
    ['the nearest', { strict: false }, 'succeeded'],
  ] as const)('matches by %s', async (_, options, outcome) => {
    const world = worldOf(died, options);
    await using computer = await opened(world);
    expect(await time?.run(computer.callTool('report', { customer: 'Other' }))).toMatchObject({ outcome });
    expect(world.misses).toEqual([]);
  });
  it('plays a server behind a URL, and starts none that it does not have', async () => {
    const world = worldOf(died);
    const config = {
      mcpServers: {
        customers: { url: 'http://127.0.0.1:1/mcp' },
        other: { url: 'http://127.0.0.1:1' },
        third: { command: 'x' },
      },
    };
    await using computer = await opened(world, { config });
    const { outcome } = (await time?.run(computer.callTool('report', { customer: 'Bolt' }))) ?? {};
    expect(outcome).toBe('succeeded');
    const { failure } = (await time?.run(computer.callTool('report', { customer: 'ACME' }))) ?? {};
    expect(failure).toMatchObject({ code: 'ServerLost' });
    const reasons = computer.status().servers.map(({ name, reason }) => `${name}: ${reason}`);
    expect(reasons[1]).toContain("server 'other' is not recorded in");
    expect(reasons[2]).toContain("server 'third' is not recorded in");
  });
  it('runs a presenter with its own settings', async () => {
    const world = worldOf(died);
    const settings = { ...customerConfig('fine'), defaultServers: ['customers'], mcpEnabled: true };
    const presenting = begin().run(
      createPresenter({ settings, confirm: () => 'allow', ...world.computer } as never),
    );
    await using presenter = await presenting;
    await time?.run(presenter.initialize());
    await time?.run(presenter.computer.callTool('report', { customer: 'Bolt' }));
    expect(world.misses).toEqual([]);
  });
  it.each([
    ['no trace', 'package.json', /package\.json:1: its first line is no head.*Is it a trace\?/],
    ['no file', 'nowhere.trace.ndjson', /ENOENT/],
  ])('refuses %s', (_, file, text) => {
    expect(() => worldOf(file)).toThrow(text);
  });
});

describe('a world of a recording that has lost its beginning', () => {
  const ring = async (): Promise<Trace> => {
    const tools = { read: { answers: { content: [] }, afterMs: 20 }, cut: { hangsUp: true as const } };
    const harness = new Harness({ servers: { fs: { tools } } });
    const recorder = recorderOf(harness.clock, { ringBytes: 60 * 1_024, profile: 'boundary' });
    harness.directory.tap.add(recorder);
    harness.computer();
    await harness.run(1_000);
    for (let n = 0; n < 200; n += 1) {
      harness.call('read');
      await harness.run(300);
    }
    harness.call('cut');
    await harness.run(10_000);
    return readBack(recorder.text('asked'));
  };
  it('knows what its servers had listed, and has the failure', async () => {
    const trace = await ring();
    expect(trace.facts).toBeDefined();
    const world = worldOf(trace);
    await using computer = await opened(world, { config: { mcpServers: { fs: { command: 'x' } } } });
    const { outcome, failure } = (await time?.run(computer.callTool('cut'))) ?? {};
    expect({ outcome, code: failure?.code }).toEqual({ outcome: 'unknown', code: 'ServerLost' });
    expect(world.misses).toEqual([]);
  });
});

it('a recording that ends before an answer says so in its world, and counts a miss', async () => {
  const { tail: _, lines, ...trace } = traceOf(died).trace;
  const asked = lines.findLastIndex(
    ({ record }) => 'ch' in record && record.ch.startsWith('ask tools/call') && record.k === 'out',
  );
  const world = worldOf({ ...trace, lines: lines.slice(0, asked + 1) });
  await using computer = await opened(world);
  await time?.run(computer.callTool('report', { customer: 'Bolt' }));
  const { failure } = (await time?.run(computer.callTool('report', { customer: 'ACME' }))) ?? {};
  expect(failure?.message).toContain('The recording ends before its answer');
  expect(world.misses).toMatchObject([{ server: 'customers', method: 'tools/call' }]);
  expect(time?.now()).toBeLessThan(10_000);
});

it('asks the host of a user what its server has asked', async () => {
  const asking = await recordedCustomers('ask');
  const asked: unknown[] = [];
  const elicit = ({ server, params }: AskedWith<ElicitParams>) => {
    asked.push([server, params.message]);
    return Promise.resolve({ action: 'decline' } as const);
  };
  await using computer = await opened(worldOf(asking), { answers: { elicit } });
  const { failure } = (await time?.run(computer.callTool('report', { customer: 'ACME' }))) ?? {};
  expect(asked).toEqual([['customers', 'Which one?']]);
  expect(failure).toMatchObject({ code: 'ServerLost', details: { exit_code: 3 } });
});
