import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { atPrompt, seated, type AtPrompt } from '../../e2e/at-prompt.ts';
import { createAgent, type Agent } from '../../index.ts';
import { fixtureFile } from '../../../scenarios/fixtures/test-folder.ts';

/** Tests of the prompt commands for calls, while an agent in the office of `a2c up` calls, too. */
const server = fixtureFile('mcp-server.mjs');
const approved = { command: process.execPath, args: [server], autoApprove: ['all'] };
const fixture = { ...approved, a2c: { resultBytes: 2_000 } };

let up: AtPrompt;
let agent: Agent;
const ask = (line: string): Promise<string> => up.ask(line);

beforeEach(async () => {
  up = atPrompt({ mcpServers: { fixture } });
  agent = await createAgent({ url: /http:\/\/[\d.:]+/.exec(await up.until(seated))?.[0] ?? '' });
  await agent.tools('c1');
});
afterEach(() => agent.close());

describe('the prompt', () => {
  it('calls names what runs, no matter who asked, and where it is; cancel ends it', async () => {
    expect(await ask('history')).toContain('no calls');
    expect(await ask('calls')).toContain('no call runs');
    const hangs = agent.callTool('c1', 'hang', { label: 'x' }, { reqId: 'h1' });
    // The computer answers this request after the call has arrived, because the office keeps the order.
    await agent.config('c1');
    expect(await ask('calls')).toMatch(/^h1 {2}fixture {2}hang {2}running {2}since \d{4}-[-\dT:.]+Z$/m);
    expect(await ask('cancel h1')).toContain('cancelled h1');
    const failure = { code: 'ToolCallCancelled', details: { cancel_reason: 'cancelled by the host' } };
    expect(await hangs).toMatchObject({ outcome: 'unknown', phase: 'running', failure });
    expect(await ask('calls')).toContain('no call runs');
    expect(await ask('cancel h1')).toContain('no call h1 runs');
    expect(await ask('history')).toMatch(/ {2}fixture {2}hang .*unknown: Call 'h1' was cancelled/);
  });

  it('result shows the whole of what was cut, under the name that its notice says', async () => {
    const cut = await ask(`tools call big {"bytes": 5000}`);
    const [, handle = ''] = /keeps the whole as '([^']+)'/.exec(cut) ?? [];
    expect(cut).not.toContain('x'.repeat(5000));
    expect(await ask(`result ${handle}`)).toContain('x'.repeat(5000));
    expect(await ask('result fixture/nobody')).toContain("error: No result is kept as 'fixture/nobody'");
  });

  it.each([`'{"text": "x"}'`, '{"text": "x"}', "{text: 'x'}", 'text=x', 'text="x"'])(
    'arguments may be written as %s',
    async (words) => expect(await ask(`tools call echo ${words}`)).toMatch(/^x$/m),
  );

  it('answers calls and cancel at once while its own call runs', async () => {
    up.write('call hang label=x\n');
    let calls = '';
    // The call appears in the list only after several turns of the event loop, so the test asks again.
    while (!calls.includes('fixture  hang')) {
      await new Promise(setImmediate);
      up.write('calls\n');
      calls = await up.until(/no call runs\n|fixture {2}hang .*since .*\n/);
    }
    const [, reqId = ''] = /^(\S+) {2}fixture {2}hang/m.exec(calls) ?? [];
    up.write(`cancel ${reqId}\n`);
    expect(await up.until(/\(unknown after[^]*a2c> $/)).toContain(`cancelled ${reqId}`);
  });
});
