import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgent, createOffice } from '../index.ts';
import type { Agent, CallOutcome, Computer, Office } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { mostLevels } from '../../machines/protocol/json.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';

const server = fixtureFile('deep-server.mjs');
const config = {
  mcpServers: { deep: { command: process.execPath, args: [server], autoApprove: ['all'] } },
};
/** Depth of nesting that overflows any call stack, although the text has less than 41 KB. */
const levels = 20_000;

let office: Office;
let computer: Computer;
let agent: Agent;
const links: string[] = [];
beforeAll(async () => {
  office = await createOffice({ port: 0 });
  computer = await bootedComputer({ name: 'ours', config, office: { url: office.url }, stateDir: false });
  agent = await createAgent({ url: office.url });
  await agent.tools('ours');
  for (const on of [computer.on, agent.on] as Computer['on'][])
    on('link.changed', ({ state }) => links.push(state));
});
afterAll(async () => {
  for (const one of [agent, computer, office]) await one.close();
});
const call = (tool: string, params: object): PromiseLike<CallOutcome> =>
  agent.callTool('ours', tool, { ...params });
const failure = {
  code: 'TooLarge',
  message: expect.stringContaining('nested too deep') as string,
  details: { limit_levels: mostLevels },
};

describe('a value that is nested too deep for any message', () => {
  it('leaves open, as the result of a call, what came of that call, and says so; the link lives on, however often that happens', async () => {
    for (let n = 0; n < 8; n += 1) {
      const answer = await call('get_deep', { levels });
      expect(answer).toMatchObject({ outcome: 'unknown', phase: 'running', failure });
    }
    expect(await call('get_deep', { levels: 100 })).toMatchObject({ outcome: 'succeeded' });
    expect(links).toEqual([]);
  });

  it('costs its call the result when it has more levels than are parsed, with the limit that was met, and no time', async () => {
    const answer = await computer.callTool('get_deep', { levels: 4_000_000 });
    expect(answer).toMatchObject({
      outcome: 'unknown',
      failure: {
        ...failure,
        details: { limit_levels: 50_000 },
        remedy: expect.stringMatching(/./) as string,
      },
    });
    expect(await computer.callTool('get_deep', { levels: 100 })).toMatchObject({ outcome: 'succeeded' });
  });

  it('fails the call that has it as parameters, which never left', async () => {
    const deep = Array.from({ length: levels }).reduce<unknown>((inner) => [inner], 1);
    expect(await call('get_deep', { deep })).toMatchObject({ outcome: 'failed', result: null, failure });
    expect(await call('get_deep', {})).toMatchObject({ outcome: 'succeeded' });
    expect(links).toEqual([]);
  });

  it('is left out where a result is post-processed or cut: the rest is given, and no whole is named that nobody keeps', async () => {
    for (const [tool, params] of [
      ['get_promised', { levels }],
      ['get_promised', { levels: 2_000 }],
      ['get_deep', { levels, bytes: 8 * 1024 * 1024 }],
    ] as const) {
      const { outcome, result } = await computer.callTool(tool, params);
      const { content, _meta, structuredContent } = result as unknown as {
        readonly content: readonly { readonly text: string }[];
        readonly _meta: unknown;
        readonly structuredContent?: unknown;
      };
      expect([outcome, structuredContent]).toEqual(['succeeded', undefined]);
      expect(_meta).toEqual({ a2c_cut: { limit_levels: mostLevels } });
      expect(content.map(({ text }) => text.slice(0, 10))).toEqual(['[a2c] This', 'here it is']);
    }
  });
});
