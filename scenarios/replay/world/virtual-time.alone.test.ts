import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createComputer, type ComputerOptions } from '../../../actors/index.ts';
import { customerConfig, recordedCustomers } from '../../fixtures/customers.ts';
import { virtualTime } from './virtual-time.ts';
import { worldOf } from './world.ts';
import { foreign } from '../../../machines/config/config-input.ts';

const died = await recordedCustomers('die');
const computerWith = (more: ComputerOptions = {}) =>
  createComputer({
    name: 'mine',
    config: foreign(customerConfig('fine')),
    confirm: () => 'allow',
    ...more,
    ...worldOf(died).computer,
  });
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms)); // real time: that of a user
const never = (): Promise<never> => new Promise(() => {});

describe('virtual time', () => {
  it('begins at 0, and passes when it is told to', async () => {
    await using time = virtualTime();
    expect(time.now()).toBe(0);
    await time.advance(1_500);
    expect(time.now()).toBe(1_500);
  });
  it.each([
    ['a file that is read', () => readFile('package.json', 'utf8')],
    ['a timer of its own', () => pause(40)],
    [
      'several of them',
      () =>
        pause(5)
          .then(() => readFile('package.json'))
          .then(() => pause(5)),
    ],
  ])('waits in a callback for %s', async (_, work) => {
    await using time = virtualTime();
    await using computer = await time.run(
      computerWith({ confirm: () => work().then(() => 'allow' as const) }),
    );
    const { outcome } = await time.run(computer.callTool('report', { customer: 'Bolt' }));
    expect(outcome).toBe('succeeded');
    expect(time.now()).toBeLessThan(10_000);
  });
  it('waits for what nobody can see only where it is told of it', async () => {
    await using time = virtualTime();
    const settling: (() => void)[] = [];
    const hidden = new Promise<void>((resolve) => settling.push(resolve));
    const held = time.during(hidden.then(() => time.now()));
    setImmediate(() => setImmediate(() => setImmediate(() => setImmediate(() => settling[0]?.()))));
    await time.advance(1_000);
    expect(await held).toBe(0);
  });
  it('comes to the end of a patience that is minutes long', async () => {
    await using time = virtualTime();
    await using computer = await time.run(computerWith({ confirm: never }));
    const { end } = await time.run(computer.callTool('report', { customer: 'Bolt' }));
    expect(end).toBe('refused');
    expect(time.now()).toBeGreaterThan(20_000);
  });
  it('stops in the midst of a call, as far as it is told', async () => {
    await using time = virtualTime();
    await using computer = await time.run(computerWith({ confirm: never }));
    const call = computer.callTool('report', { customer: 'Bolt' });
    await time.advance(5_000);
    expect(computer.calls()).toHaveLength(1);
    call.cancel();
    expect(await time.run(call)).toMatchObject({ end: 'cancelled' });
    expect(time.now()).toBe(5_000);
  });
  it('goes the same way each time', async () => {
    const walk = async (): Promise<string> => {
      await using time = virtualTime();
      const told: string[] = [];
      const onEvent: ComputerOptions['onEvent'] = (name) =>
        void told.push(`${Math.round(time.now())} ${name}`);
      await using computer = await time.run(computerWith({ onEvent }));
      for (const customer of ['Bolt', 'ACME', 'Bolt']) {
        await time.run(computer.callTool('report', { customer }));
        await time.advance(2_000);
      }
      return told.join('\n');
    };
    const first = await walk();
    expect(first).toContain('server.changed');
    expect(await walk()).toBe(first);
  });
  it('closes hosts by itself', async () => {
    await using time = virtualTime();
    const computer = await time.run(computerWith());
    await time.run(computer.tools());
    await computer.close();
    expect(computer.status().state).toBe('closed');
  });
  it('is one at a time, and not that of hosts which live already', async () => {
    const computer = await computerWith();
    expect(() => virtualTime()).toThrow(
      'virtualTime: hosts live on the real clock: computer. Close them first.',
    );
    await computer.close();
    await using time = virtualTime();
    expect(() => virtualTime()).toThrow('virtualTime: another one is in force');
    expect(time.now()).toBe(0);
  });
  it('is not disposed while hosts live on it', async () => {
    const time = virtualTime();
    const computer = await time.run(computerWith());
    await expect(time[Symbol.asyncDispose]()).rejects.toThrow('still live on it: computer. Close them');
    await computer.close();
    await time[Symbol.asyncDispose]();
    await time[Symbol.asyncDispose]();
  });
  it('says what holds it, and that nothing will come', async () => {
    await using time = virtualTime({ patienceMs: 50 });
    const ticking = setInterval(() => {}, 5);
    await expect(time.advance(1)).rejects.toThrow(/time stands still, .* under way: \d+ × Timeout/);
    clearInterval(ticking);
    await expect(time.run(never())).rejects.toThrow('nothing can end it');
  });
  it('starts no process', async () => {
    await using time = virtualTime();
    const config = customerConfig('fine');
    await using computer = await time.run(
      createComputer({ config: foreign(config), stateDir: false, reaper: false }),
    );
    const { failure } = await time.run(computer.callTool('report', { customer: 'Bolt' }));
    expect(failure?.message).toContain('no process runs in virtual time; give a `launcher`');
  });
  it('waits for the program over a result, which a thread runs', async () => {
    await using time = virtualTime({ patienceMs: 60_000 });
    const config = {
      servers: [
        { name: 'customers', type: 'stdio', vrl: '.seen = true', server_parameters: { command: 'x' } },
      ],
    };
    await using computer = await time.run(computerWith({ config: foreign(config) }));
    const { result, end } = await time.run(computer.callTool('report', { customer: 'Bolt' }));
    expect(end).toBe('succeeded');
    expect(JSON.stringify(result)).toContain('seen');
  });
  it('gives the answer of what it ran, and its failure', async () => {
    await using time = virtualTime();
    expect(await time.run(() => Promise.resolve(7))).toBe(7);
    await expect(time.run(Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});

describe('virtual time in a process that nothing else keeps alive', () => {
  const program = `
    import { virtualTime } from './scenarios/replay/world/virtual-time.ts';
    const time = virtualTime();
    void time.during(new Promise((resolve) => setTimeout(resolve, 200).unref())); // real time: work to wait for
    await Promise.all([time.advance(10), time.run(time.advance(20)), time.advance(30)]);
    await time[Symbol.asyncDispose]();
    console.log(time.now());`;
  it('comes to its end, also where it is awaited in several places at once', async () => {
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program]);
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (err += text));
    const [code] = (await once(child, 'close')) as [number];
    expect({ code, out, err }).toEqual({ code: 0, out: '30\n', err: '' });
  }, 60_000);
});
