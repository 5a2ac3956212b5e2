import { afterEach, describe, expect, it } from 'vitest';
import { createAgent, createComputer, createOffice, type ConfirmQuestion } from '../../../actors/index.ts';
import { customerConfig } from '../../fixtures/customers.ts';
import { virtualTime, type VirtualTime } from './virtual-time.ts';
import { worldOf } from './world.ts';
import { foreign } from '../../../machines/config/config-input.ts';
import { testFolder } from '../../fixtures/test-folder.ts';

const folder = testFolder('links');
let time: VirtualTime | undefined;
afterEach(async () => {
  await time?.[Symbol.asyncDispose]();
  time = undefined;
});

async function recorded(): Promise<{ readonly agent: string; readonly computer: string }> {
  await using office = await createOffice({ port: 0 });
  await using computer = await createComputer({
    name: 'desk',
    config: foreign(customerConfig('die')),
    office: { url: office.url },
    confirm: 'allow',
    stateDir: false,
    reaper: false,
  });
  await using agent = await createAgent({ url: office.url });
  await agent.tools('desk');
  await agent.callTool('desk', 'report', { customer: 'Bolt' });
  await agent.callTool('desk', 'report', { customer: 'ACME' });
  return { agent: await agent.debug.writeTrace(folder), computer: await computer.debug.writeTrace(folder) };
}
const files = await recorded();
const url = 'http://office.invalid';

describe('an office of a trace', () => {
  it('answers an agent as the recorded one did', async () => {
    time = virtualTime();
    const world = worldOf(files.agent);
    await using agent = await time.run(createAgent({ url, ...world.agent }));
    expect(agent.status().computers).toEqual(['desk']);
    expect((await time.run(agent.tools('desk'))).tools.map(({ name }) => name)).toEqual(['report', 'book']);
    expect(await time.run(agent.callTool('desk', 'report', { customer: 'Bolt' }))).toMatchObject({
      outcome: 'succeeded',
    });
    expect(await time.run(agent.callTool('desk', 'report', { customer: 'ACME' }))).toMatchObject({
      outcome: 'unknown',
      failure: { message: expect.stringContaining('exit code 3') as string },
    });
    expect(world.misses).toEqual([]);
    const { failure } = await time.run(agent.callTool('desk', 'report', { customer: 'Other' }));
    expect(failure?.message).toContain('Not recorded in');
    expect(world.misses).toHaveLength(1);
  });
  it('has the calls of its agent for a computer of somebody else', async () => {
    time = virtualTime();
    const asked: ConfirmQuestion[] = [];
    const world = worldOf(files.computer);
    await using computer = await time.run(
      createComputer({
        name: 'mine',
        config: foreign(customerConfig('fine')),
        office: { url },
        confirm: (question) => {
          asked.push(question);
          return Promise.resolve('allow');
        },
        ...world.computer,
      }),
    );
    await time.advance(30_000);
    expect(asked.map((question) => question.arguments['customer'])).toEqual(['Bolt', 'ACME']);
    const past = computer.calls().map(({ agent, reason }) => `${agent}: ${reason ?? 'well'}`);
    expect(past).toEqual([expect.stringContaining('agent: Server') as string, 'agent: well']);
    expect(world.misses).toEqual([]);
  });
  it('refuses a seat that was not recorded', async () => {
    time = virtualTime();
    const joining = createAgent({ url, ...worldOf(files.computer).agent });
    await expect(time.run(joining)).rejects.toThrow(/no agent 'agent' is recorded in/);
  });
});
