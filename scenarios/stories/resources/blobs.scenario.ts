import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import type { AskedCall, Harness } from '../../stage/harness.ts';
import { after, everybody } from '../../stage/watching.ts';
import type { Script } from '../../stage/scripted/script.ts';

const image = Buffer.from(Uint8Array.from({ length: 600_000 }, (_, n) => (n * 7) % 251));
const sha256 = createHash('sha256').update(image).digest('hex');
const data = image.toString('base64');
const small = Buffer.alloc(1_000, 1).toString('base64');
const camera: Script = {
  tools: {
    photo: {
      answers: {
        content: [
          { type: 'text', text: 'here' },
          { type: 'image', data, mimeType: 'image/png', _meta: { lens: 50 } },
          { type: 'audio', data: small, mimeType: 'audio/wav' },
          { type: 'resource', resource: { uri: 'a://b', blob: data, mimeType: 'image/png' } },
        ],
      },
    },
  },
};
const world = { servers: { s: camera } };
const part = (s: Harness, more: object = {}): AskedCall =>
  s.query('client:get_blob', { computer: 'c1', blob_handle: sha256, ...more });
const answer = ({ settled: [call] }: AskedCall): unknown => call?.result;
const photo = async (s: Harness): Promise<AskedCall> => {
  const call = await after(s, 500, s.agentCall('photo'));
  return call;
};
type Part = { readonly blob: string; readonly chunk_offset: number; readonly eof: boolean };

scenario('an agent gets a large content whole, which its computer gave in parts', world, async (s) => {
  await everybody(s, 2_000);
  const call = await photo(s);
  expect(answer(call)).toMatchObject({
    content: [
      { type: 'text', text: 'here' },
      { type: 'image', data, _meta: { lens: 50 } },
      { type: 'audio', data: small },
      { type: 'resource', resource: { uri: 'a://b', blob: data } },
    ],
  });
  const parts: Part[] = [];
  for (let offset = 0; offset < image.length; offset += 262_144) {
    const asked = await after(s, 50, part(s, { chunk_offset: offset }));
    parts.push(answer(asked) as Part);
  }
  expect(parts.map(({ eof }) => eof)).toEqual([false, false, true]);
  expect(Buffer.concat(parts.map(({ blob }) => Buffer.from(blob, 'base64'))).equals(image)).toBe(true);
  expect(parts[0]).toMatchObject({
    ...{ blob_handle: sha256, mime_type: 'image/png', total_size: 600_000, sha256, chunk_offset: 0 },
  });
  const [few, end] = [part(s, { max_chunk_bytes: 9 }), part(s, { chunk_offset: 600_000 })];
  await s.run(50);
  expect(answer(few)).toMatchObject({ blob: data.slice(0, 12), eof: false });
  expect(answer(end)).toMatchObject({ blob: '', eof: true });
});

scenario('an agent that says no version gets its contents whole', world, async (s) => {
  await s.office();
  s.computer({ linked: true, name: 'c1' });
  const old = s.peer('old');
  old.join('agent', 'old');
  await s.run(2_000);
  const call = { agent: 'old', req_id: 'r', computer: 'c1', tool_name: 'photo', params: {}, timeout: 60 };
  const acks = await after(s, 500, old.ask('client:tool_call', call));
  expect(acks).toMatchObject([[{ content: [{}, { data }, { data: small }, { resource: { blob: data } }] }]]);
});

scenario('a content that cannot be kept is given whole', world, async (s) => {
  await everybody(s, 2_000);
  s.callPorts.blobs.fault = 'full';
  expect(answer(await photo(s))).toMatchObject({ content: [{}, { data }, {}, {}] });
  expect(s.callPorts.blobs.shelf.has(sha256)).toBe(false);
});

scenario('wrong handles, other readers, wrong offsets and old contents are refused', world, async (s) => {
  await everybody(s, 2_000);
  await photo(s);
  const asked = await after(s, 50, [
    part(s, { blob_handle: '../../etc/passwd' }),
    part(s, { blob_handle: 'f'.repeat(64) }),
    part(s, { chunk_offset: -1 }),
    part(s, { chunk_offset: 600_001 }),
  ]);
  const reason = (reason: string): object => ({ code: 4018, details: { reason } });
  expect(asked.map(answer)).toMatchObject(['invalid_handle', 'gone', 'range', 'range'].map(reason));
  s.close('agent');
  await s.run(50);
  const other = s.peer('other');
  other.join('agent', 'other');
  await s.run(50);
  const question = { agent: 'a1', req_id: 'r', computer: 'c1', blob_handle: sha256 };
  const acks = await after(s, 50, other.ask('client:get_blob', question));
  expect(acks).toMatchObject([[reason('forbidden')]]);
  other.close();
  await s.run(600_000);
  s.agent({ as: 'again' });
  await s.run(2_000);
  const late = { agent: 'a1', req_id: 'late', computer: 'c1', blob_handle: sha256 };
  const query = { type: 'agent.query', ticket: 'late', reqId: 'late', method: 'client:get_blob' };
  s.order('again', { ...query, request: late, replyTo: 'host:again' });
  await s.run(50);
  expect(s.heard('again', 'call.settled')).toMatchObject([{ result: reason('gone') }]);
});

scenario('a disk that fails or hangs is told, and each question is answered', world, async (s) => {
  await everybody(s, 2_000);
  await photo(s);
  s.callPorts.blobs.fault = 'fails';
  const failed = await after(s, 50, part(s));
  expect(answer(failed)).toMatchObject({ code: 500, message: 'the disk is broken' });
  s.callPorts.blobs.fault = 'hangs';
  const hanging = Array.from({ length: 65 }, (_, n) => part(s, { chunk_offset: n }));
  await s.run(100);
  expect(hanging.map(({ settled }) => settled.length)).toEqual([...Array<number>(64).fill(0), 1]);
  expect(answer(hanging[64] as AskedCall)).toMatchObject({ code: 429 });
  await s.run(10_000);
  expect(hanging.map(answer)).toMatchObject([
    ...Array.from({ length: 64 }, () => ({ code: 408 })),
    { code: 429 },
  ]);
});

scenario('questions to a computer that closes are refused', world, async (s) => {
  await everybody(s, 2_000);
  await photo(s);
  part(s);
  await s.run(50);
  s.callPorts.blobs.fault = 'hangs';
  const replyTo = 'host:computer';
  const asked = { reqId: 'r', handle: sha256, offset: 0, maxBytes: 1, reader: 'a', replyTo };
  s.order('computer', { type: 'blob.wanted', ticket: 'open', ...asked });
  await s.run(5);
  s.close('computer');
  s.order('computer', { type: 'blob.wanted', ticket: 'late', ...asked });
  await s.run(50);
  expect(new Set(s.heard('computer', 'blob.shown').map(({ ticket }) => ticket))).toEqual(
    new Set(['open', 'late']),
  );
});

type Ack = (answer: unknown) => void;
type Asked = { readonly req_id: string; readonly chunk_offset: number };
/** A computer of another make, which gives a content of 40 bytes in parts of 10. */
const partOf = ({ req_id, chunk_offset: at }: Asked, more: object = {}): object => ({
  ...{ blob_handle: 'h', mime_type: 'a/b', total_size: 40, sha256: 'x', chunk_offset: at, req_id },
  ...{ eof: at + 10 >= 40, blob: image.subarray(at, Math.min(40, at + 10)).toString('base64') },
  ...more,
});
const other = async (s: Harness, give: (asked: Asked, ack: Ack) => void): Promise<void> => {
  await s.office();
  const computer = s.peer('c2', { 'client:get_blob': (body, ack) => give(body as Asked, ack) });
  computer.join('computer', 'c2');
  s.agent();
  await s.run(2_000);
};
const download = (s: Harness, computer = 'c2', handle = 'h'): void =>
  s.order('agent', { type: 'agent.download', ticket: 'd', computer, handle, replyTo: 'host:agent' });
const tell = (s: Harness, order: object): void =>
  s.order('agent', { type: 'download.told', ticket: 'd', order });
const partsHeard = (s: Harness): number[] =>
  s.heard('agent', 'download.part').map(({ offset }) => offset as number);
const commands = (s: Harness): { readonly asks: number; readonly withdrawals: number } => {
  const sent = s.seen.flatMap(({ record: r }) => (r.k === 'out' && r.a.startsWith('agent/') ? [r.ev] : []));
  const isPart = (ev: object): boolean => 'method' in ev && ev.method === 'client:get_blob';
  const withdrawals = sent.filter(({ type }) => type === 'ask.withdraw').length;
  return { asks: sent.filter(isPart).length, withdrawals };
};
const endOf = (s: Harness): unknown => s.heard('agent', 'download.ended');
const readAll = async (s: Harness, ms = 1_000): Promise<void> => {
  let taken = 0;
  for (let waited = 0; waited < ms; waited += 10) {
    for (; taken < partsHeard(s).length; taken += 1) tell(s, { type: 'part.taken' });
    await s.run(10);
  }
};

scenario('an agent reads a content part by part, a few ahead of its reader', world, async (s) => {
  await everybody(s, 2_000);
  s.callPorts.blobs.partBytes = 20_000;
  await photo(s);
  download(s, 'c1', sha256);
  tell(s, { type: 'content.right' });
  await s.run(500);
  expect(partsHeard(s)).toEqual([0, 20_000, 40_000, 60_000]);
  tell(s, { type: 'content.right' });
  await readAll(s);
  expect(endOf(s)).toEqual([]);
  const parts = s
    .heard('agent', 'download.part')
    .map(({ key }) => s.network.parts.get(key as string) ?? Buffer.alloc(0));
  expect(Buffer.concat(parts).equals(image)).toBe(true);
  tell(s, { type: 'content.right' });
  await s.run(1);
  expect(endOf(s)).toMatchObject([{ end: 'read', failure: null }]);
});

scenario('a download goes on after its link, its computer and its office were away', {}, async (s) => {
  let asked = 0;
  await other(s, (question, ack) => {
    asked += 1;
    if (asked === 3) return ack({ code: 404, message: 'away' });
    ack(partOf(question));
  });
  download(s);
  await s.run(20);
  expect([partsHeard(s), endOf(s)]).toEqual([[0, 10], []]);
  tell(s, { type: 'content.right' });
  s.network.faults.keepAway('a1', 5_000);
  await readAll(s, 20_000);
  expect(partsHeard(s)).toEqual([0, 10, 20, 30]);
  tell(s, { type: 'content.right' });
  await s.run(1);
  expect(endOf(s)).toMatchObject([{ end: 'read' }]);
});

scenario('a download goes on after its agent was connected without a seat for a moment', {}, async (s) => {
  await other(s, (question, ack) => ack(partOf(question)));
  // Takes its seat at the office alone, as it is while an agent joins again after the death of a node.
  const about = { socket: 's2', ticket: 'none' };
  s.order('office', { type: 'socket.leaves', ...about, office: 'o' });
  download(s);
  await s.run(50);
  expect(partsHeard(s)).toEqual([]);
  expect(endOf(s)).toEqual([]);
  s.order('office', { type: 'socket.joins', ...about, seat: { office: 'o', role: 'agent', name: 'a1' } });
  await readAll(s, 20_000);
  expect(partsHeard(s)).toEqual([0, 10, 20, 30]);
  tell(s, { type: 'content.right' });
  await s.run(1);
  expect(endOf(s)).toMatchObject([{ end: 'read' }]);
});

scenario('a download whose computer is silent asks again, and fails when nothing comes', {}, async (s) => {
  await other(s, () => {});
  download(s);
  await s.run(29_000);
  expect(commands(s)).toEqual({ asks: 1, withdrawals: 0 });
  await s.run(12_000);
  expect(commands(s)).toEqual({ asks: 2, withdrawals: 0 });
  s.close('office');
  await s.run(3_000_000);
  expect(endOf(s)).toMatchObject([{ end: 'failed' }]);
});

scenario('a download whose office answers nothing rests after the limit of silence', {}, async (s) => {
  await other(s, () => {});
  s.network.faults.setLatency(20_000);
  download(s);
  await s.run(30_000);
  expect(commands(s)).toEqual({ asks: 1, withdrawals: 0 });
  await s.run(6_500);
  expect(commands(s)).toEqual({ asks: 1, withdrawals: 2 });
  expect(endOf(s)).toEqual([]);
  tell(s, { type: 'part.taken' });
  s.network.faults.clearFaults();
  s.close('agent');
  await s.run(100_000);
  expect(endOf(s)).toMatchObject([{ end: 'cancelled' }]);
});

scenario('parts out of order are given in order, and shorter ones are asked for again', {}, async (s) => {
  const held: (() => void)[] = [];
  let short = true;
  await other(s, (question, ack) => {
    if (question.chunk_offset === 10 && held.length === 0) return void held.push(() => ack(partOf(question)));
    if (question.chunk_offset === 20 && short) {
      short = false;
      return ack(partOf(question, { blob: image.subarray(20, 25).toString('base64') }));
    }
    ack(partOf(question));
  });
  download(s);
  await s.run(50);
  expect(partsHeard(s)).toEqual([0]);
  for (const give of held) give();
  await readAll(s);
  expect(partsHeard(s)).toEqual([0, 10, 20, 25, 35]);
});

const lies: readonly (readonly [string, (asked: Asked) => object, object])[] = [
  ['another part', (asked) => partOf(asked, { chunk_offset: 7 }), { code: 500 }],
  ['an empty part', (asked) => partOf(asked, { blob: '' }), { code: 500 }],
  ['an end that is none', (asked) => partOf(asked, { eof: true }), { code: 500 }],
  ['what is no part', () => ({}), { code: 500 }],
  ['that it is gone', () => ({ code: 4018, message: 'gone', details: { reason: 'gone' } }), { code: 4018 }],
  [
    'another content in the middle',
    (asked) => partOf(asked, asked.chunk_offset === 0 ? {} : { sha256: 'y' }),
    { code: 500, message: 'The content was changed while it was read' },
  ],
];
for (const [what, answerOf, failure] of lies)
  scenario(`a download whose computer sends ${what} fails`, {}, async (s) => {
    await other(s, (asked, ack) => ack(answerOf(asked)));
    download(s);
    await readAll(s, 100);
    expect(endOf(s)).toMatchObject([{ end: 'failed', failure }]);
  });

scenario('a download that its link refuses, or whose agent closes, is told', {}, async (s) => {
  await s.office();
  s.agent();
  await s.run(2_000);
  download(s, 'c1', 'h'.repeat(9_000_000));
  await s.run(50);
  s.close('agent');
  download(s);
  await s.run(50);
  expect(endOf(s)).toMatchObject([
    { end: 'failed', failure: { code: 413 } },
    { end: 'failed', failure: { code: 'LinkLost' } },
  ]);
});
