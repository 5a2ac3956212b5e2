import { describe, expect, it } from 'vitest';
import { createComputer } from '../../../actors/index.ts';
import { customerConfig, recordedCustomers } from '../../fixtures/customers.ts';
import { readTraceFile } from '../report/files.ts';
import { virtualTime } from './virtual-time.ts';
import { worldOf } from './world.ts';
import { foreign } from '../../../machines/config/config-input.ts';

const died = await recordedCustomers('die');

describe('a recording that ends before an answer', () => {
  it('says so in its world, and counts a miss', async () => {
    const read = readTraceFile(died);
    if (!read.ok) throw new Error(read.problem);
    const { tail: _, lines, ...trace } = read.trace;
    const asked = lines.findLastIndex(
      ({ record }) => 'ch' in record && record.ch.startsWith('ask tools/call') && record.k === 'out',
    );
    await using time = virtualTime();
    const world = worldOf({ ...trace, lines: lines.slice(0, asked + 1) });
    await using computer = await time.run(
      createComputer({ config: foreign(customerConfig('fine')), confirm: () => 'allow', ...world.computer }),
    );
    await time.run(computer.callTool('report', { customer: 'Bolt' }));
    const { failure } = await time.run(computer.callTool('report', { customer: 'ACME' }));
    expect(failure?.message).toContain('The recording ends before its answer');
    expect(world.misses).toMatchObject([{ server: 'customers', method: 'tools/call' }]);
    expect(time.now()).toBeLessThan(10_000);
  });
});
