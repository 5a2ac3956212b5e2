import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { atPrompt, seated, type AtPrompt } from '../../e2e/at-prompt.ts';
import { createAgent, createComputer, createOffice, type Office } from '../../index.ts';
import { closedAfter } from '../../../scenarios/fixtures/closed-after.ts';
import { fixtureFile } from '../../../scenarios/fixtures/test-folder.ts';

/** Tests of `connect` at the prompt, which moves a computer to another office that requires a token. */
const server = fixtureFile('mcp-server.mjs');
const fixture = { command: process.execPath, args: [server], autoApprove: ['all'] };

let up: AtPrompt;
let own: string;
let other: Office;
const ask = (line: string): Promise<string> => up.ask(line);
beforeEach(async () => {
  other = closedAfter(await createOffice({ port: 0, auth: 'REMOTE' }));
  up = atPrompt({ mcpServers: { fixture } });
  own = /http:\/\/[\d.:]+/.exec(await up.until(seated))?.[0] ?? '';
});
afterEach(() => void vi.unstubAllEnvs());
/** Calls a tool of the named computer through an agent in the other office, and returns the outcome. */
async function calledAs(name: string, id = 'local'): Promise<unknown> {
  await using agent = await createAgent({ url: other.url, office: id, auth: 'REMOTE' });
  return (await agent.callTool(name, 'echo', { text: 'moved' })).outcome;
}

describe('the command connect', () => {
  it('shows the token that it is given, sits there under the name that it is given, and says so to all', async () => {
    const line = `connect --url ${other.url} --token REMOTE --name OTHER --office o2`;
    const told = await ask(line);
    expect(told).toContain(`joined o2 at ${other.url} as OTHER`);
    const fact = { type: 'office', url: other.url, office: 'o2', name: 'OTHER' };
    expect(told).toContain(`@a2c ${JSON.stringify(fact)}`);
    expect(await ask('status')).toContain(`link joined: office o2 at ${other.url} as OTHER`);
    expect(await calledAs('OTHER', 'o2')).toBe('succeeded');
    expect(await ask(line)).toContain('sits in o2');
  });

  it('shows A2C_TOKEN where it is given none', async () => {
    vi.stubEnv('A2C_TOKEN', 'REMOTE');
    expect(await ask(`connect --url ${other.url}`)).toContain(`joined local at ${other.url}`);
    expect(await calledAs('c1')).toBe('succeeded');
  });

  it.each([
    ['another token', () => `--url ${other.url} --token WRONG`, 'did not let us in'],
    ['no token', () => `--url ${other.url}`, 'did not let us in'],
    ['a name that is taken', () => `--url ${other.url} --token REMOTE --name taken`, 'refused the seat'],
    ['nobody there', () => '--url http://127.0.0.1:9', 'Could not join the office'],
  ])('keeps the old seat where the new one cannot be had: %s', async (_, how, why) => {
    const office = { url: other.url, auth: 'REMOTE' };
    await using holder = await createComputer({ name: 'taken', config: { mcpServers: {} }, office });
    expect(holder.status().link?.state).toBe('joined');
    const told = await ask(`connect ${how()}`);
    expect(told).toContain(why);
    // The computer must not have left its own office.
    expect(told).not.toContain('office closed');
    expect(await ask('status')).toContain(`link joined: office local at ${own} as c1`);
  });
});
