import { beforeEach, describe, expect, it } from 'vitest';
import type { RequestFact } from '../../machines/kernel/ports.ts';
import { LinkRequests } from './link-requests.ts';

interface Emitted {
  event: string;
  body: unknown;
  onAck: ((ack: unknown) => void) | undefined;
}
let emitted: Emitted[];
let timers: (() => void)[];
const call = { agent: 'a', req_id: 'r', computer: 'c', tool_name: 't', params: {}, timeout: 0 };

beforeEach(() => {
  emitted = [];
  timers = [];
});

describe('what a computer of 0.2 or later holds back of a result', () => {
  const held = { type: 'image', mimeType: 'image/png', data: '', _meta: { a2c_blob_handle: 'h' } };
  const asking = (): { told: RequestFact[]; requests: LinkRequests; withdraw: () => void } => {
    const told: RequestFact[] = [];
    const requests = new LinkRequests(
      (event, ...[body, onAck]) => void emitted.push({ event, body, onAck: onAck as Emitted['onAck'] }),
      { url: '', role: 'agent', name: 'a', office: 'o', key: 'k', version: '0.2.0' },
      { setTimer: (run) => timers.push(run), clearTimer: () => {} },
    );
    const request = { id: 'q', method: 'client:tool_call', params: call };
    const withdraw = requests.request(request, (fact) => void told.push(fact));
    emitted[0]?.onAck?.({ content: [held], isError: false });
    return { told, requests, withdraw };
  };
  const contentOf = ([fact]: RequestFact[]): unknown =>
    (fact?.type === 'ask.answered' && (fact.result as { content: unknown[] }).content[0]) || fact;

  it('is fetched before the call is answered', () => {
    const { told } = asking();
    expect([told, emitted[1]]).toMatchObject([
      [],
      { event: 'client:get_blob', body: { agent: 'a', computer: 'c', blob_handle: 'h', chunk_offset: 0 } },
    ]);
    emitted[1]?.onAck?.({ chunk_offset: 0, blob: 'AAAA', eof: false });
    expect(emitted[2]).toMatchObject({ body: { chunk_offset: 3 } });
    emitted[2]?.onAck?.({ chunk_offset: 3, blob: 'BBBB', eof: true });
    expect(contentOf(told)).toEqual({ type: 'image', mimeType: 'image/png', data: 'AAAABBBB' });
  });
  it.each<[string, (requests: LinkRequests) => void, string]>([
    ['the computer says nothing more', () => timers.forEach((run) => run()), 'no part of it within'],
    ['the connection ends', (requests) => requests.lose(), 'lost before an answer'],
    ['the computer says no', () => emitted[1]?.onAck?.({ code: 4018, message: 'expired' }), 'expired'],
  ])('is replaced by a sentence where %s, once', (_, happens, why) => {
    const { told, requests } = asking();
    happens(requests);
    emitted[1]?.onAck?.({ chunk_offset: 0, blob: 'AAAA', eof: true });
    expect([told.length, contentOf(told)]).toMatchObject([
      1,
      { type: 'text', text: expect.stringContaining(why) },
    ]);
  });
  it('is asked for no more once the call is withdrawn, which cancels nothing: it is over', () => {
    const { told, withdraw } = asking();
    withdraw();
    emitted[1]?.onAck?.({ chunk_offset: 0, blob: 'AAAA', eof: false });
    expect([told, emitted.length]).toEqual([[], 2]);
  });
});
