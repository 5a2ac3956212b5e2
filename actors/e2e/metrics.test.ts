/** Tests of the metrics of an office on a port of their own. */
import { describe, expect, it } from 'vitest';
import { createAgent, createOffice, type Office } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { enteringPeer } from '../../scenarios/fixtures/entering.ts';

const openOffice = (more: object = {}): Promise<Office> =>
  createOffice({ port: 0, record: false, metrics: { port: 0 }, ...more });
const get = async (office: Office, path: string, init?: RequestInit) => {
  const response = await fetch(`${office.metricsUrl}${path}`, init);
  return { status: response.status, body: await response.text() };
};
/** Reads one value from the metrics; `series` is the name with its labels as they are written. */
async function valueOf(office: Office, series: string): Promise<number | undefined> {
  const { body } = await get(office, '/metrics');
  const line = body.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

describe('the metrics of an office', () => {
  it('count its connections, seats, events, answers and refusals', async () => {
    await using office = await openOffice({ limits: { seatsPerOffice: 2 }, auth: 'token' });
    const seat = { url: office.url, auth: 'token' };
    await using agent = await createAgent(seat);
    await using computer = await bootedComputer({ name: 'c1', config: { mcpServers: {} } });
    await computer.join(seat);
    await agent.callTool('c1', 'nothing', {});
    await using third = await bootedComputer({ name: 'c2', config: { mcpServers: {} } });
    await expect(third.join(seat)).rejects.toMatchObject({ code: 'Conflict' });
    await enteringPeer(office.url).entered;
    expect(await valueOf(office, 'a2c_office_seats')).toBe(2);
    expect(await valueOf(office, 'a2c_office_rooms')).toBe(1);
    expect(await valueOf(office, 'a2c_office_in_flight')).toBe(0);
    expect(await valueOf(office, 'a2c_office_ready')).toBe(1);
    expect(await valueOf(office, 'a2c_office_connections')).toBeGreaterThanOrEqual(2);
    expect(await valueOf(office, 'a2c_office_refused_peers_total{kind="credential"}')).toBe(1);
    expect(await valueOf(office, 'a2c_office_refused_peers_total{kind="nameTaken"}')).toBe(0);
    expect(await valueOf(office, 'a2c_office_limited_total{limit="seatsPerOffice"}')).toBeGreaterThan(0);
    expect(await valueOf(office, 'a2c_office_limited_total{limit="events"}')).toBe(0);
    expect(await valueOf(office, 'a2c_office_events_total{event="client:tool_call"}')).toBe(1);
    const failed = 'a2c_office_failures_total{event="client:tool_call",code="4001"}';
    expect(await valueOf(office, failed)).toBe(1);
    const took = 'a2c_office_answer_seconds_count{event="client:tool_call"}';
    expect(await valueOf(office, took)).toBe(1);
    expect(await valueOf(office, 'process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
  });

  it('have no label for what strangers make up, and no name of anybody', async () => {
    await using office = await openOffice();
    const stranger = enteringPeer(office.url);
    for (let count = 0; count < 50; count++) await stranger.ask(`client:made-up-${count}`, {});
    const { body } = await get(office, '/metrics');
    expect(body).toContain('a2c_office_events_total{event="other"} 50');
    expect(body).not.toContain('made-up');
  });

  it('are there for programs of this machine only, and to be read only', async () => {
    await using office = await openOffice();
    expect((await get(office, '/metrics', { headers: { Origin: 'https://evil.example' } })).status).toBe(403);
    expect((await get(office, '/metrics', { method: 'POST' })).status).toBe(405);
    expect((await get(office, '/other')).status).toBe(404);
  });

  it('say that it lives and takes peers, until it is drained', async () => {
    const office = await openOffice();
    const agent = await createAgent({ url: office.url });
    await using computer = await bootedComputer({ name: 'c1', config: { mcpServers: {} } });
    await computer.join({ url: office.url });
    expect(await get(office, '/healthz')).toEqual({ status: 200, body: 'ok\n' });
    expect(await get(office, '/readyz')).toEqual({ status: 200, body: 'ready\n' });
    const slow = enteringPeer(office.url);
    const asked = new Promise<(answer: object) => void>((resolve) =>
      slow.socket.once('client:get_tools', (_: unknown, ack: (answer: object) => void) => resolve(ack)),
    );
    await slow.join('local', 'computer', 'slow');
    const answer = await asked;
    const over = office.drain();
    expect(await get(office, '/readyz')).toEqual({ status: 503, body: 'closing\n' });
    expect((await get(office, '/healthz')).status).toBe(200);
    answer({ tools: [], req_id: 'r' });
    await over;
    await agent.close();
    await expect(get(office, '/healthz')).rejects.toThrow('fetch failed');
  });

  it('have a port that is free, or the office is not opened', async () => {
    await using office = await openOffice();
    const port = Number(new URL(office.metricsUrl ?? '').port);
    await expect(openOffice({ metrics: { port } })).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('already in use'),
    });
  });
});
