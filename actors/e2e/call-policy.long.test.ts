import { describe, expect, it } from 'vitest';
import { type Computer, type ComputerOptions, type PermissionRequest } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';

const server = fixtureFile('typed-server.mjs');
const start = (options: ComputerOptions = {}, entry: object = {}): Promise<Computer> =>
  bootedComputer({
    config: { mcpServers: { typed: { command: process.execPath, args: [server], ...entry } } },
    stateDir: false,
    ...options,
  });
/** Reads from the server which of its tools it has run. */
async function runs(computer: Computer): Promise<unknown> {
  const { result } = await computer.callTool('get_runs', {}, { confirmed: true });
  return JSON.parse((result as unknown as { content: [{ text: string }] }).content[0].text);
}
const all = { autoApprove: ['all'] };

describe('the arguments of a call', () => {
  it('are refused with a line for each mistake when they break the schema of the tool, and nothing is sent', async () => {
    await using computer = await start({}, all);
    const answer = await computer.callTool('get_next', { n: 'two', m: 1 });
    expect(answer).toMatchObject({ outcome: 'failed', end: 'refused', phase: 'judging', result: null });
    expect(answer.failure).toMatchObject({ code: 'ArgumentsInvalid', details: { tool_name: 'get_next' } });
    expect(answer.failure?.message).toMatch(
      /^Wrong arguments for tool 'get_next' of server 'typed': .*n: must be integer/,
    );
    expect(answer.failure?.message).not.toContain('two');
    expect(await runs(computer)).toEqual([]);
  });
});

describe('the permission of a call', () => {
  it('lets run by group what reads, and asks about what writes', async () => {
    await using computer = await start({}, { autoApprove: ['read'] });
    expect(await computer.callTool('get_next', { n: 1 })).toMatchObject({ outcome: 'succeeded' });
    expect(await computer.callTool('delete_all')).toMatchObject({
      ...{ outcome: 'failed', end: 'refused', phase: 'confirming', failure: { code: 'NotConfirmed' } },
    });
    expect(await runs(computer)).toEqual(['get_next']);
  });

  it('is what the rule of the host says: allow, ask or deny, with its reason, at once or later', async () => {
    const requests: PermissionRequest[] = [];
    await using computer = await start(
      {
        permission: async (request) => {
          requests.push(request);
          if (request.tool === 'get_next') return 'allow';
          return { decision: 'deny', reason: 'not on a Sunday' };
        },
      },
      all,
    );
    expect(await computer.callTool('get_next', { n: 1 })).toMatchObject({ outcome: 'succeeded' });
    const denied = await computer.callTool('delete_all', {}, { confirmed: true });
    expect(denied).toMatchObject({ outcome: 'failed', end: 'refused', failure: { code: 'NotPermitted' } });
    expect(denied.failure?.message).toContain('Operation not permitted');
    expect(denied.failure?.message).toContain('not on a Sunday');
    expect(requests).toMatchObject([
      { server: 'typed', tool: 'get_next', arguments: { n: 1 }, autoApprove: ['all'] },
      { tool: 'delete_all', annotations: { destructiveHint: true } },
    ]);
  });
});

describe('a person', () => {
  it('is asked about what is sent, whatever becomes of the object that a host called with, or of the question', async () => {
    await using computer = await start({
      permission: (asked) => {
        Object.assign(asked.arguments, { n: 'the rule was here' });
        return 'ask';
      },
      confirm: (question) => {
        Object.assign(question.arguments, { n: '***' });
        return 'allow';
      },
    });
    const given = { n: 1 };
    const call = computer.callTool('get_next', given);
    given.n = 5;
    expect(await call).toMatchObject({ outcome: 'succeeded', result: { content: [{ text: '2' }] } });
  });
});

describe('the result that comes back', () => {
  it('says nothing of the output schema that it keeps to; one that does not is given, with the mistakes', async () => {
    await using computer = await start({}, all);
    const right = await computer.callTool('get_next', { n: 1 });
    expect(right).toMatchObject({ outcome: 'succeeded', result: { structuredContent: { sum: 2 } } });
    expect(JSON.stringify(right.result)).not.toContain('a2c_output_mismatch');
    expect(await computer.callTool('get_wrong', { n: 1 })).toMatchObject({
      outcome: 'succeeded',
      result: { structuredContent: { sum: 'x' }, _meta: { a2c_output_mismatch: ['sum: must be integer'] } },
    });
  });
});

describe('a listener from the start', () => {
  it('hears of each call, too, without a listener of calls', async () => {
    const told: string[] = [];
    const onEvent: ComputerOptions['onEvent'] = (name) => void (name.startsWith('call.') && told.push(name));
    await using computer = await start({ onEvent }, all);
    await computer.callTool('get_next', { n: 1 });
    computer.on('call.settled', () => {});
    await computer.callTool('get_next', { n: 2 });
    expect(told).toEqual(['call.started', 'call.settled', 'call.started', 'call.settled']);
  });
});
