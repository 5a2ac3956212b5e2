/** Tests that a notice costs an office one delivery for each receiver, and that none is lost. */
import { describe, expect, it } from 'vitest';
import { limitOf, refusedFor as refused } from '../../scenarios/fixtures/entering.ts';
import { peerAt as peer } from '../../scenarios/fixtures/office-nodes.ts';
import type { Ack } from '../../scenarios/fixtures/seated-peer.ts';
import { createOffice, type GivenLimits, type LimitName, type Office } from '../index.ts';

const officeWith = (limits: GivenLimits): Promise<Office> => createOffice({ port: 0, limits, record: false });

describe('notices', () => {
  const rate = { perSecond: 4, burst: 1 };
  it.each<[limit: LimitName, limits: GivenLimits]>([
    ['noticesPerSocket', { noticesPerSocket: rate }],
    ['deliveriesPerOffice', { noticesPerSocket: 0, deliveriesPerOffice: rate }],
    ['deliveries', { noticesPerSocket: 0, deliveries: rate }],
  ])('are told later over %s, once for all of one kind, and refuse nobody', async (limit, limits) => {
    await using office = await officeWith(limits);
    const [hearer, teller] = [peer(office, 'a'), peer(office, 'c')];
    await hearer.join('agent');
    await teller.join('computer');
    const tell = (what: string): Promise<Ack> => teller.ask(`server:update_${what}`, { computer: 'c' });
    const acks = await Promise.all(Array.from({ length: 40 }, (_, n) => tell(n < 39 ? 'desktop' : 'finder')));
    expect(acks).toEqual(Array.from({ length: 40 }, () => []));
    const updates = (): readonly string[] =>
      hearer.notices.flatMap(([event]) => (event.startsWith('notify:update') ? [event.slice(7)] : []));
    await expect.poll(updates).toContain('update_finder');
    await expect.poll(() => updates().filter((one) => one === 'update_desktop')).toHaveLength(2);
    // This later notice comes after all earlier ones, so the count below is complete.
    await tell('config');
    await expect.poll(updates).toContain('update_config');
    expect([updates().length, refused(office, limit) > 0]).toEqual([4, true]);
  });

  it('weigh as much as there are others who hear them', async () => {
    await using office = await officeWith({ deliveriesPerOffice: { perSecond: 0.001, burst: 24 } });
    const others = Array.from({ length: 5 }, (_, n) => peer(office, `o${n}`));
    const teller = peer(office, 'c');
    await teller.join('computer');
    for (const one of others) await one.join('computer');
    for (const what of ['desktop', 'finder']) await teller.ask(`server:update_${what}`, { computer: 'c' });
    await Promise.all(others.map((one) => one.hears('notify:update_desktop', { computer: 'c' })));
    // The six joins cost 15 deliveries and the first update 5; the second update would exceed the limit of 24 and waits.
    await expect.poll(() => refused(office, 'deliveriesPerOffice')).toBe(1);
  });

  it('go, for a cancel, to the computer that has the call alone; and to all where there is none', async () => {
    await using office = await officeWith({ deliveriesPerOffice: { perSecond: 0.001, burst: 10 } });
    const agent = peer(office, 'a');
    await agent.join('agent');
    const heard: string[] = [];
    for (const name of ['c1', 'c2']) {
      const computer = peer(office, name);
      computer.socket.on('notify:tool_call_cancel', ({ req_id }: { readonly req_id: string }) =>
        heard.push(`${name} ${req_id}`),
      );
      await computer.join('computer');
    }
    const call = { agent: 'a', req_id: 'r1', computer: 'c1', tool_name: 't', params: {}, timeout: 0 };
    agent.socket.emit('client:tool_call', call, () => {});
    const cancel = (req_id: string): Promise<Ack> =>
      agent.ask('server:tool_call_cancel', { agent: 'a', req_id });
    expect([await cancel('r1'), await cancel('r2')]).toEqual([[], []]);
    await expect.poll(() => heard.toSorted()).toEqual(['c1 r1', 'c1 r2', 'c2 r2']);
    const more = await Promise.all([cancel('r3'), cancel('r4'), cancel('r5')]);
    expect(more.map(limitOf)).toContain('deliveriesPerOffice');
    expect(await cancel('r1')).toEqual([]);
  });
});
