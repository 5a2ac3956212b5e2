import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LinkFact } from '../../../machines/link/questions.ts';
import { callTo, type LinkProbe, type MakeTransport, World } from './link-world.ts';

let world: World;
let url: string;

interface Running {
  readonly computer: LinkProbe;
  readonly called: Extract<LinkFact, { type: 'agent.called' }>;
  readonly facts: readonly { readonly type: string }[];
}
async function running(): Promise<Running> {
  const agent = await world.joined(url, { role: 'agent', name: 'a' });
  const computer = await world.joined(url);
  const { facts } = world.request(agent.key, 'client:tool_call', callTo('c', { progress: true }));
  return { computer, called: await world.fact(computer, 'agent.called'), facts };
}

export function progressContract(make: MakeTransport): void {
  beforeEach(async () => {
    world = new World(make({ relayMarginMs: 50, queryMs: 5_000 }));
    ({ url } = await world.office());
  });
  afterEach(() => world.close());

  it('is told at once, then the last of what follows, cut to a bound, and not after the answer', async () => {
    const { computer, called, facts } = await running();
    const { ticket } = called;
    const tell = (progress: number): void =>
      computer.instance.tell({
        type: 'link.progress',
        ticket,
        progress,
        total: 200,
        message: 'é'.repeat(2_000),
      });
    for (let progress = 1; progress <= 100; progress += 1) tell(progress);
    await world.until(() => facts.length === 2);
    tell(101);
    computer.instance.tell({ type: 'link.answer', ticket, body: { content: [] } });
    tell(102);
    await world.until(() => facts.some(({ type }) => type === 'ask.answered'));
    const told = { type: 'ask.progress', total: 200, message: 'é'.repeat(1_000) };
    expect([called.wantsProgress, ...facts]).toMatchObject([
      true,
      { ...told, progress: 1 },
      { ...told, progress: 100 },
      { type: 'ask.answered' },
    ]);
  });

  it('is believed of no other computer, and what is none is refused', async () => {
    const { computer, called, facts } = await running();
    const other = await world.seated(url, 'computer', 'other');
    const told = { agent: 'a', req_id: 'r', computer: 'c', progress: 1 };
    expect(await world.ask(other, 'server:tool_call_progress', told)).toEqual([]);
    const wrong = await world.ask(other, 'server:tool_call_progress', { ...told, progress: 'all' });
    expect(wrong).toMatchObject([{ error: { code: 400 } }]);
    computer.instance.tell({ type: 'link.answer', ticket: called.ticket, body: { content: [] } });
    await world.until(() => facts.length > 0);
    expect(facts.map(({ type }) => type)).toEqual(['ask.answered']);
  });

  it('is told by computers only, and heard by the agent of their room only', async () => {
    const agent = await world.seated(url, 'agent', 'a');
    const computer = await world.seated(url, 'computer', 'c');
    const [elsewhere, beside] = [
      await world.seated(url, 'agent', 'a', 'p'),
      await world.seated(url, 'computer', 'd'),
    ];
    const told = { agent: 'a', req_id: 'r', computer: 'd', progress: 0.5, message: 'half' };
    expect(await world.ask(agent, 'server:tool_call_progress', told)).toMatchObject([
      { error: { code: 403 } },
    ]);
    await world.ask(computer, 'server:tool_call_progress', told);
    await world.fence(agent, elsewhere, beside);
    const heard = [agent, elsewhere, beside, computer].map((peer) =>
      peer.heard.flatMap(({ event, body }) => (event === 'notify:tool_call_progress' ? [body] : [])),
    );
    expect(heard).toEqual([[{ ...told, computer: 'c' }], [], [], []]);
  });
}
