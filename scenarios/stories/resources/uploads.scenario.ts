import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import type { AskedCall, Harness, HarnessOptions } from '../../stage/harness.ts';
import { after } from '../../stage/watching.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const text = 'one two three';
const base64 = (part: string): string => Buffer.from(part).toString('base64');
const idleMs = 10_000;
const open = (s: Harness, isApproved: boolean): void =>
  s.order('computer', { type: 'landing.set', landing: { idleMs, isApproved } });
const meet = async (s: Harness, isApproved = true): Promise<void> => {
  await s.office();
  s.computer({ linked: true, name: 'c1' });
  open(s, isApproved);
  s.agent();
  await s.run(100);
};
interface Sent {
  readonly upload_id?: string;
  readonly at?: number;
  readonly part?: string;
  readonly eof?: boolean;
}
const put = (
  s: Harness,
  { at = 0, part = '', eof = false, ...more }: Sent & Readonly<Record<string, unknown>>,
): AskedCall =>
  s.query('client:put_blob', { computer: 'c1', chunk_offset: at, eof, blob: base64(part), ...more });
const declared = { total_size: text.length, sha256: sha256(text), name_hint: 'a b.txt' };
const first = (s: Harness, part = 'one ', more: object = {}): AskedCall =>
  put(s, { part, ...declared, ...more });
const answer = ({ settled: [call] }: AskedCall): unknown => call?.result;
const answers = async (s: Harness, ...asked: readonly AskedCall[]): Promise<unknown[]> => {
  await s.run(100);
  return asked.map(answer);
};
const uploadOf = (asked: AskedCall): string => (answer(asked) as { upload_id: string }).upload_id;
const begun = async (s: Harness, more: object = {}): Promise<string> => {
  const asked = await after(s, 100, first(s, 'one ', more));
  return uploadOf(asked);
};
const no = (reason: string) => ({ code: 4019, details: { reason } });
const files = (s: Harness): unknown => Object.fromEntries(s.callPorts.landing.landed);
const nothingLeft = (s: Harness): void => {
  expect([...s.callPorts.landing.parts.keys()]).toEqual([]);
  expect([...s.directory.roots].filter(isUpload)).toHaveLength(0);
};
const isUpload = ({ name }: { readonly name: string }): boolean => name.includes('/upload:');

scenario('a file in three parts lands with its bytes, under a name of the computer', {}, async (s) => {
  await meet(s);
  const upload_id = await begun(s);
  const middle = put(s, { upload_id, at: 4, part: 'two ' });
  const last = put(s, { upload_id, at: 8, part: 'three', eof: true });
  const path = `/landing/${upload_id}_a b.txt`;
  expect(await answers(s, middle, last)).toMatchObject([
    { upload_id, chunk_offset: 4, received: 8 },
    { landing_path: path, total_size: text.length, sha256: declared.sha256 },
  ]);
  expect(files(s)).toEqual({ [path]: Buffer.from(text) });
  // The last answer may have been lost, so it is given again; another part is out of range.
  const [again, wrong] = [
    put(s, { upload_id, at: 8, part: 'three', eof: true }),
    put(s, { upload_id, at: 4 }),
  ];
  expect(await answers(s, again, wrong)).toMatchObject([{ landing_path: path }, no('range')]);
  await s.run(idleMs);
  nothingLeft(s);
  expect(await answers(s, put(s, { upload_id, at: 8, part: 'three', eof: true }))).toMatchObject([
    no('invalid_upload'),
  ]);
});

scenario('a computer without a landing folder takes no files, and ends what it took', {}, async (s) => {
  await meet(s);
  const upload_id = await begun(s);
  s.order('computer', { type: 'landing.set', landing: null });
  const [late, fresh] = [put(s, { upload_id, at: 4, part: 'two ' }), first(s)];
  expect(await answers(s, late, fresh)).toMatchObject([no('forbidden'), no('forbidden')]);
  nothingLeft(s);
});

scenario('parts that are declared wrong, out of order, too long or too many are refused', {}, async (s) => {
  await meet(s);
  const wrong = [
    put(s, { part: 'x' }),
    put(s, { part: 'x', total_size: 1, sha256: 'short' }),
    put(s, { part: 'x', upload_id: 'nobody' }),
    put(s, { part: 'x', upload_id: 'nobody', total_size: 1 }),
    s.query('client:put_blob', { computer: 'c1', chunk_offset: 0, eof: true, blob: '*', ...declared }),
  ];
  expect(await answers(s, ...wrong)).toMatchObject([
    no('invalid_declaration'),
    no('invalid_declaration'),
    no('invalid_upload'),
    no('invalid_declaration'),
    no('invalid_declaration'),
  ]);
  const upload_id = await begun(s);
  const unordered = [
    put(s, { upload_id, at: 0, part: 'one ' }),
    put(s, { upload_id, at: 4, part: 'two ', eof: true }),
    put(s, { upload_id, at: 4 }),
  ];
  expect(await answers(s, ...unordered)).toMatchObject([
    { details: { reason: 'range', received: 4, upload_id } },
    no('range'),
    { received: 4 },
  ]);
  const long = put(s, { upload_id, at: 4, part: 'two three four five' });
  expect(await answers(s, long)).toMatchObject([no('range')]);
  nothingLeft(s);
  const many = [1, 2, 3, 4, 5].map(() => first(s));
  expect((await answers(s, ...many)).at(-1)).toMatchObject(no('busy'));
});

scenario('a computer takes more files one after the other than it takes at once', {}, async (s) => {
  await meet(s);
  for (let n = 1; n <= 6; n += 1) {
    expect(await answers(s, first(s, text, { eof: true, name_hint: `${n}` }))).toMatchObject([
      { landing_path: `/landing/upload-${n}_${n}` },
    ]);
    await s.run(idleMs);
  }
  nothingLeft(s);
});

for (const waitMs of [0, 3])
  scenario(`an upload goes on after its connection was lost ${waitMs} ms after a part`, {}, async (s) => {
    await meet(s);
    const upload_id = await begun(s);
    put(s, { upload_id, at: 4, part: 'two ' });
    await s.run(waitMs);
    s.network.faults.dropLink('c1');
    await s.run(3_000);
    const where = first(s, '', { resume: true });
    expect(await answers(s, where)).toMatchObject([{ upload_id, chunk_offset: 0, received: 4 }]);
    const last = put(s, { upload_id, at: 4, part: 'two three', eof: true });
    const again = first(s, '', { resume: true });
    expect(await answers(s, last, again)).toMatchObject([{ total_size: text.length }, { upload_id }]);
    expect(await answers(s, first(s, '', { resume: true }))).toMatchObject([
      { landing_path: expect.any(String) },
    ]);
  });

scenario('a first part of another file, or of another agent, goes on with no upload', {}, async (s) => {
  await meet(s);
  const upload_id = await begun(s);
  const other = first(s, '', { resume: true, name_hint: 'other' });
  expect(await answers(s, other)).toMatchObject([{ received: 0 }]);
  s.close('agent');
  await s.run(100);
  const stranger = s.peer('stranger');
  stranger.join('agent', 'a2');
  await s.run(50);
  const part = { agent: 'a2', req_id: 'r', computer: 'c1', chunk_offset: 4, eof: false, blob: '' };
  const theirs = await after(s, 50, stranger.ask('client:put_blob', { ...part, upload_id }));
  expect(theirs[0]).toMatchObject([no('forbidden')]);
});

for (const method of ['open', 'write', 'finish'])
  for (const fault of ['breaks', 'hangs'] as const)
    scenario(`a folder that ${fault} at ${method} ends the upload, which leaves nothing`, {}, async (s) => {
      await meet(s);
      s.callPorts.landing.faults = { [method]: fault };
      const asked = await after(s, idleMs + 100, put(s, { part: text, eof: true, ...declared }));
      expect(answer(asked)).toMatchObject(no('io_error'));
      nothingLeft(s);
    });

scenario('a full disk, and a folder that cannot be used, are told to the agent', {}, async (s) => {
  await meet(s);
  s.callPorts.landing.faults = { write: 'full' };
  expect(await answers(s, first(s))).toMatchObject([
    { ...no('io_error'), message: expect.stringContaining('no space left') },
  ]);
  s.callPorts.landing.faults = { open: 'closed' };
  expect(await answers(s, first(s))).toMatchObject([no('forbidden')]);
  nothingLeft(s);
});

scenario('parts that come while the disk is busy wait for their turn, up to eight', {}, async (s) => {
  await meet(s);
  const upload_id = await begun(s);
  s.callPorts.landing.faults = { write: 'hangs' };
  put(s, { upload_id, at: 4, part: 'two ' });
  await s.run(10);
  const many = Array.from({ length: 8 }, () => put(s, { upload_id, at: 4 }));
  await s.run(10);
  expect(many.map(answer)).toMatchObject([...Array.from({ length: 7 }, () => undefined), no('busy')]);
});

const asking = (says: 'allow' | 'allowForSession' | 'deny' | 'never' | 'nobody'): HarnessOptions => ({
  person: () => ({ says, afterMs: 500 }),
  timing: { confirmMs: 2_000 },
});
for (const says of ['allow', 'allowForSession'] as const)
  scenario(`a person is asked about a file, and says ${says}`, asking(says), async (s) => {
    await meet(s, false);
    const asked = await after(s, 400, first(s));
    expect(asked.settled).toEqual([]);
    // The first part came again, because the office gave up waiting: both are answered.
    const again = await after(s, 200, first(s, '', { resume: true }));
    expect(answer(asked)).toMatchObject({ received: 4 });
    expect(answer(again)).toMatchObject({ upload_id: uploadOf(asked) });
  });
for (const says of ['deny', 'never', 'nobody'] as const)
  scenario(`no file is taken when a person is asked and ${says} comes`, asking(says), async (s) => {
    await meet(s, false);
    const asked = await after(s, s.timing.confirmMs + 500, [first(s), first(s, '', { resume: true })]);
    expect(asked.map(answer)).toMatchObject([no('forbidden'), no('forbidden')]);
    nothingLeft(s);
  });

scenario('a computer that closes ends all uploads, and refuses further parts', {}, async (s) => {
  await meet(s);
  await begun(s);
  s.close('computer');
  s.order('computer', { type: 'landing.set', landing: null });
  const part = { upload: 'u', offset: 0, bytes: 1, isLast: true, agent: 'a1' };
  s.order('computer', { type: 'part.wanted', ticket: 't', reqId: 'r', ...part, replyTo: 'host:computer' });
  await s.run(200);
  expect(s.heard('computer', 'part.taken')).toMatchObject([{ ticket: 't', failure: no('forbidden') }]);
  nothingLeft(s);
});

const ruled = (permission: NonNullable<HarnessOptions['permission']>): HarnessOptions => ({
  permission,
  timing: { confirmMs: 2_000 },
});
for (const [what, permission, text] of [
  ['denies', () => ({ decision: 'deny' as const, reason: 'not today' }), 'not today'],
  ['fails', () => Promise.reject(new Error('broken rule')), 'broken rule'],
  ['never answers', () => new Promise<never>(() => {}), 'gave no answer'],
] as const)
  scenario(`no file is taken when the rule of a host ${what}`, ruled(permission), async (s) => {
    await meet(s);
    const asked = await after(s, s.timing.confirmMs + 500, [first(s), first(s, '', { resume: true })]);
    expect(asked.map(answer)).toMatchObject([
      { ...no('forbidden'), message: expect.stringContaining(text) },
      { code: 4019 },
    ]);
    nothingLeft(s);
  });
