import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LinkFact } from '../../../machines/link/questions.ts';
import { type LinkProbe, type MakeTransport, type OfficeProbe, World } from './link-world.ts';

const limits = { relayMarginMs: 50, queryMs: 5_000 };
const callTo = (req_id: string, more: object = {}): object => ({
  agent: 'a',
  req_id,
  computer: 'c',
  tool_name: 't',
  params: { x: 1 },
  timeout: 5,
  ...more,
});
const typesOf = ({ facts }: LinkProbe): string[] => facts.map(({ type }) => type);

let world: World;
let office: OfficeProbe;
const agentAt = (): Promise<LinkProbe> => world.joined(office.url, { role: 'agent', name: 'a' });

function connections(): void {
  it('comes up once, joins, leaves', async () => {
    const link = await world.joined(office.url);
    link.instance.tell({ type: 'link.leave' });
    await world.fact(link, 'leave.done');
    expect(typesOf(link)).toEqual(['link.up', 'join.accepted', 'leave.done']);
  });

  it('is refused with a reason where nobody listens', async () => {
    const link = world.tryLink('http://127.0.0.1:1');
    const { reason } = await world.fact(link, 'link.refused');
    expect([reason.length > 3, typesOf(link)]).toEqual([true, ['link.refused']]);
  });

  it('hears why it may not join', async () => {
    await world.joined(office.url);
    const second = await world.link(office.url);
    second.instance.tell({ type: 'link.join' });
    expect((await world.fact(second, 'join.refused')).text).toContain('already exists');
  });

  it('hears that the office closed', async () => {
    const link = await world.joined(office.url);
    office.instance.close();
    await world.fact(link, 'link.down');
    expect(typesOf(link)).toEqual(['link.up', 'join.accepted', 'link.down']);
  });

  it('emits nothing while it is not connected, and nothing of that later', async () => {
    const link = world.tryLink(office.url);
    link.instance.tell({ type: 'link.join' });
    link.instance.tell({ type: 'link.announce', event: 'server:update_tool_list' });
    const early = world.request(link.key, 'server:list_room', {});
    expect(early.facts).toMatchObject([{ type: 'ask.refused', sent: false }]);
    await world.fact(link, 'link.up');
    const known = world.request(link.key, 'fence:here', {});
    await world.until(() => known.facts.length > 0);
    expect(office.facts.filter(({ type }) => type === 'socket.joins')).toEqual([]);
  });

  it('says nothing after its close, and its office hears that it is gone', async () => {
    const link = await world.joined(office.url);
    const waiting = world.request(link.key, 'client:get_tools', {});
    link.instance.close();
    await world.until(() => office.facts.some(({ type }) => type === 'socket.closed'));
    expect([typesOf(link), world.transport.has(link.key)]).toEqual([['link.up', 'join.accepted'], false]);
    expect(waiting.facts).toHaveLength(1);
  });

  it('stays silent when it is closed before it is up', async () => {
    const link = world.tryLink(office.url);
    link.instance.close();
    await world.joined(office.url);
    expect(link.facts).toEqual([]);
  });
}

/** Deeper than any stack. */
const deep = Array.from({ length: 20_000 }).reduce<unknown>((inner) => [inner], 1);

function requests(): void {
  it('have their ack handed over as it is, errors too', async () => {
    const agent = await agentAt();
    const room = world.request(agent.key, 'server:list_room', { agent: 'a', req_id: 'r', office_id: 'o' });
    const call = world.request(agent.key, 'client:tool_call', callTo('r'));
    await world.until(() => room.facts.length + call.facts.length === 2);
    expect(room.facts).toMatchObject([
      { type: 'ask.answered', result: { req_id: 'r', sessions: [{ name: 'a' }] } },
    ]);
    expect(call.facts).toMatchObject([
      { type: 'ask.answered', result: { isError: true, meta: { error_code: 404 } } },
    ]);
  });

  it('surely go nowhere with an unknown key', () => {
    const { facts } = world.request('link#404', 'client:get_tools', {});
    expect(facts).toMatchObject([{ type: 'ask.refused', sent: false, failure: { code: 'LinkLost' } }]);
  });

  it('are refused as lost when the wire breaks while they wait, before the link is down', async () => {
    const agent = await agentAt();
    const computer = await world.joined(office.url);
    const { facts } = world.request(agent.key, 'client:tool_call', callTo('r'));
    await world.fact(computer, 'agent.called');
    world.transport.cut('a', agent.url);
    await world.fact(agent, 'link.down');
    expect(facts).toMatchObject([
      { type: 'ask.refused', sent: true, lost: true, failure: { code: 'LinkLost' } },
    ]);
    expect(world.request(agent.key, 'client:tool_call', callTo('r')).facts).toMatchObject([{ sent: false }]);
  });

  it('are cancelled once when they are withdrawn, and their late answer is dropped', async () => {
    const agent = await agentAt();
    const computer = await world.joined(office.url);
    const { facts, withdraw } = world.request(agent.key, 'client:tool_call', callTo('r'));
    const { ticket } = await world.fact(computer, 'agent.called');
    withdraw();
    withdraw();
    expect(await world.fact(computer, 'agent.cancelled')).toEqual({ type: 'agent.cancelled', ticket });
    computer.instance.tell({ type: 'link.answer', ticket, body: 'late' });
    const next = world.request(agent.key, 'client:get_tools', { agent: 'a', req_id: 'r2', computer: 'c' });
    const asked = await world.fact(computer, 'agent.askedTools');
    computer.instance.tell({ type: 'link.answer', ticket: asked.ticket, body: 'tools' });
    await world.until(() => next.facts.length > 0);
    expect([facts, typesOf(computer).filter((type) => type === 'agent.cancelled')]).toEqual([
      [],
      ['agent.cancelled'],
    ]);
  });

  it.each([
    ['too large fail with their size', 'é'.repeat(5_000_000), 'limit_bytes'],
    ['nested too deep fail with the levels that there may be', deep, 'limit_levels'],
  ])('leave the connection alive: those that are %s', async (_, x, limit) => {
    const agent = await agentAt();
    const { facts } = world.request(agent.key, 'client:tool_call', callTo('r', { params: { x } }));
    const failure = { code: 413, details: { [limit]: expect.any(Number) as number } };
    expect(facts).toMatchObject([{ type: 'ask.refused', sent: false, failure }]);
    expect(typesOf(agent)).not.toContain('link.down');
  });
}

function computers(): void {
  it('hears a call with a ticket of its connection, and gives one answer', async () => {
    const agent = await agentAt();
    const computer = await world.joined(office.url);
    const { facts } = world.request(agent.key, 'client:tool_call', callTo('r', { timeout: 2 }));
    const called = await world.fact(computer, 'agent.called');
    const n = computer.key.split('#')[1];
    expect(called).toEqual({
      type: 'agent.called',
      agent: 'a',
      ticket: `${n}.r`,
      reqId: 'r',
      tool: 't',
      params: { x: 1 },
      timeoutMs: 2000,
    });
    for (const body of [{ content: [] }, 'twice'])
      computer.instance.tell({ type: 'link.answer', ticket: called.ticket, body });
    computer.instance.tell({ type: 'link.answer', ticket: 'unknown', body: {} });
    await world.until(() => facts.length > 0);
    expect(facts).toMatchObject([{ type: 'ask.answered', result: { content: [] } }]);
  });

  it('has an answer that is too large fail with its size, and stays connected', async () => {
    const agent = await agentAt();
    const computer = await world.joined(office.url);
    const { facts } = world.request(agent.key, 'client:tool_call', callTo('r', { timeout: 60 }));
    const { ticket } = await world.fact(computer, 'agent.called');
    computer.instance.tell({ type: 'link.answer', ticket, body: { content: 'x'.repeat(9_000_000) } });
    await world.until(() => facts.length > 0);
    const error = { code: 413, message: expect.stringContaining('90000') as string };
    expect(facts).toMatchObject([{ result: { isError: true, structuredContent: { error } } }]);
    expect(typesOf(computer)).not.toContain('link.down');
  });
}

function agents(): void {
  it('hears who enters, changes and leaves in its own office, and nothing of agents', async () => {
    const agent = await agentAt();
    const elsewhere = await world.joined(office.url, { role: 'agent', name: 'b', office: 'p' });
    const computer = await world.joined(office.url);
    computer.instance.tell({ type: 'link.announce', event: 'server:update_tool_list' });
    await world.fact(agent, 'computer.toolsChanged');
    computer.instance.tell({ type: 'link.announce', event: 'server:update_config' });
    await world.fact(agent, 'computer.configChanged');
    computer.instance.tell({ type: 'link.announce', event: 'server:update_desktop' });
    computer.instance.tell({ type: 'link.announce', event: 'server:update_finder' });
    await world.until(
      () => typesOf(agent).filter((type) => type === 'computer.collectionChanged').length === 2,
    );
    computer.instance.close();
    await world.fact(agent, 'computer.left');
    expect(agent.facts.slice(2)).toEqual([
      { type: 'computer.entered', computer: 'c' },
      { type: 'computer.toolsChanged', computer: 'c' },
      { type: 'computer.configChanged', computer: 'c' },
      { type: 'computer.collectionChanged', computer: 'c', collection: 'desktop' },
      { type: 'computer.collectionChanged', computer: 'c', collection: 'finder' },
      { type: 'computer.left', computer: 'c' },
    ]);
    expect(typesOf(elsewhere)).toEqual(['link.up', 'join.accepted']);
  });
}

interface Running {
  readonly computer: LinkProbe;
  readonly called: Extract<LinkFact, { type: 'agent.called' }>;
  readonly facts: readonly { readonly type: string }[];
}
async function running(): Promise<Running> {
  const agent = await world.joined(office.url, { role: 'agent', name: 'a' });
  const computer = await world.joined(office.url);
  const { facts } = world.request(agent.key, 'client:tool_call', callTo('r', { progress: true }));
  return { computer, called: await world.fact(computer, 'agent.called'), facts };
}

function progress(): void {
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
    const other = await world.seated(office.url, 'computer', 'other');
    const told = { agent: 'a', req_id: 'r', computer: 'c', progress: 1 };
    expect(await world.ask(other, 'server:tool_call_progress', told)).toEqual([]);
    const wrong = await world.ask(other, 'server:tool_call_progress', { ...told, progress: 'all' });
    expect(wrong).toMatchObject([{ error: { code: 400 } }]);
    computer.instance.tell({ type: 'link.answer', ticket: called.ticket, body: { content: [] } });
    await world.until(() => facts.length > 0);
    expect(facts.map(({ type }) => type)).toEqual(['ask.answered']);
  });

  it('is told by computers only, and heard by the agent of their room only', async () => {
    const agent = await world.seated(office.url, 'agent', 'a');
    const computer = await world.seated(office.url, 'computer', 'c');
    const [elsewhere, beside] = [
      await world.seated(office.url, 'agent', 'a', 'p'),
      await world.seated(office.url, 'computer', 'd'),
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

function entries(): void {
  it.each(['0.99.0', '1.0.0'])(
    'a link that speaks %s is refused with what the office speaks',
    async (version) => {
      const link = world.tryLink(office.url, { version });
      const refused = await world.fact(link, 'link.refused');
      expect(refused).toMatchObject({ refusal: 'version', version: '0.2.0' });
      expect(refused.reason).toContain('we speak 0.2.0');
      expect([link.facts.length, office.facts.length]).toEqual([1, 1]);
    },
  );
  it.each(['0.1.0', '0.2.7', '0.4.0'])('a link that speaks %s sits', async (version) => {
    const { url } = await world.office(0, { requireVersion: true });
    await world.joined(url, { version });
  });
}

export function linkContract(make: MakeTransport): void {
  beforeEach(async () => {
    world = new World(make(limits));
    office = await world.office();
  });
  afterEach(() => world.close());
  describe('the entry', entries);
  describe('the progress of a call', progress);
  describe('a link', connections);
  describe('questions', requests);
  describe('a computer', computers);
  describe('an agent', agents);
}
