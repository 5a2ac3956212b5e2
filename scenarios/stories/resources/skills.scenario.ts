import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import type { AskedCall, Harness } from '../../stage/harness.ts';
import { after, everybody } from '../../stage/watching.ts';

const pdf = { 'SKILL.md': 'How to read a PDF', 'scripts/read.py': 'print(1)' };
const meet = async (s: Harness): Promise<void> => {
  s.callPorts.skills.truth = { pdf };
  await everybody(s);
};
const look = (s: Harness): void => s.order('computer', { type: 'skills.look' });
const list = (s: Harness): AskedCall => s.query('client:get_skills', { computer: 'c1' });
const file = (s: Harness, name: string, path?: string): AskedCall =>
  s.query('client:get_skill', { computer: 'c1', name, ...(path && { rel_path: path }) });
const answer = ({ settled: [call] }: AskedCall): unknown => call?.result;
const seen = (s: Harness): unknown[] =>
  s
    .heard('agent', 'view.collectionChanged')
    .filter(({ collection }) => collection === 'skills')
    .map(
      ({ value, failure }) => value?.skills?.map((skill: { name: string }) => skill.name) ?? failure?.code,
    );

scenario('an agent lists the skills of a computer and reads their files', {}, async (s) => {
  await meet(s);
  const asked = await after(s, 50, [list(s), file(s, 'pdf'), file(s, 'pdf', 'scripts/read.py')]);
  expect(asked.map(answer)).toMatchObject([
    { skills: [{ name: 'pdf', source: 'config', path: '/skills/pdf', description: 'about pdf' }] },
    { name: 'pdf', rel_path: 'SKILL.md', body: 'How to read a PDF', total_size: 17 },
    { rel_path: 'scripts/read.py', body: 'print(1)' },
  ]);
});

scenario('wrong names, unknown skills and files outside are refused, each with its code', {}, async (s) => {
  await meet(s);
  const asked = await after(s, 50, [
    file(s, 'No_Skill'),
    file(s, 'a:b:c:d'),
    file(s, 'mcp:files:other'),
    file(s, 'pdf', '../../etc/passwd'),
    file(s, 'pdf', 'gone.md'),
  ]);
  expect(asked.map(answer)).toMatchObject([
    { code: 4016, details: { name: 'No_Skill' } },
    { code: 4016 },
    { code: 4014, details: { name: 'mcp:files:other' } },
    { code: 4017, details: { reason: 'traversal', rel_path: '../../etc/passwd' } },
    { code: 4017, details: { reason: 'not_found' } },
  ]);
});

scenario('an agent that follows skills hears of each change once, also in bursts', {}, async (s) => {
  await meet(s);
  look(s);
  s.order('agent', { type: 'agent.follow', collection: 'skills' });
  await s.run(1_000);
  const before = s.callPorts.skills.lists;
  s.callPorts.skills.truth = { pdf, word: { 'SKILL.md': 'x' } };
  for (let change = 0; change < 3; change += 1) {
    look(s);
    await s.run(1);
  }
  await s.run(1_000);
  expect(seen(s)).toEqual([['pdf'], ['pdf', 'word']]);
  expect(s.callPorts.skills.lists - before).toBe(1);
  look(s);
  await s.run(1_000);
  expect(seen(s)).toHaveLength(2);
  s.network.faults.dropLink('c1');
  s.callPorts.skills.truth = { word: { 'SKILL.md': 'x' } };
  look(s);
  await s.run(5_000);
  expect(seen(s).at(-1)).toEqual(['word']);
});

const paused = { timing: { quietMs: 200, longestQuietMs: 2_000 } };
scenario('changes that never pause are read after the longest wait; later ones, next', paused, async (s) => {
  await meet(s);
  look(s);
  await s.run(1);
  look(s);
  look(s);
  await s.run(1_000);
  expect(s.callPorts.skills.lists).toBeGreaterThan(1);
  for (let change = 0; change < 25; change += 1) {
    look(s);
    await s.run(100);
  }
  expect(s.callPorts.skills.lists).toBe(3);
});

scenario('a folder that is no skill is told once', {}, async (s) => {
  await meet(s);
  s.callPorts.skills.refused = ['/skills/Bad is no skill'];
  for (let n = 0; n < 2; n += 1) {
    look(s);
    await s.run(1_000);
  }
  expect(s.callPorts.skills.lists).toBeGreaterThan(1);
  expect(s.heard('computer', 'skills.noticed').map(({ text }) => text)).toEqual(['/skills/Bad is no skill']);
});

const slow = { timing: { quietMs: 200, longestQuietMs: 2_000, aggregateMs: 8_000 } };
scenario('a disk that fails or hangs is told to who asks; all questions are answered', slow, async (s) => {
  await meet(s);
  s.callPorts.skills.fault = 'fails';
  const first = await after(s, 50, list(s));
  expect(answer(first)).toMatchObject({ code: 500, message: 'the disk is broken' });
  s.callPorts.skills.fault = null;
  // The list is read again by itself, though no folder changes.
  await s.run(s.timing.longestQuietMs + 100);
  const second = await after(s, 50, list(s));
  expect(answer(second)).toMatchObject({ skills: [{ name: 'pdf' }] });
  s.callPorts.skills.fault = 'fails';
  const unread = await after(s, 50, file(s, 'pdf'));
  expect(answer(unread)).toMatchObject({ code: 500 });
  s.callPorts.skills.fault = 'hangs';
  const hanging = await after(s, s.timing.aggregateMs + 100, file(s, 'pdf'));
  expect(answer(hanging)).toMatchObject({ code: 408 });
  look(s);
  await s.run(400);
  const waits = await after(s, 50, [list(s), file(s, 'pdf')]);
  expect(waits.map(({ settled }) => settled.length)).toEqual([0, 0]);
  await s.run(s.timing.aggregateMs);
  expect(waits.map(({ settled }) => settled.length)).toEqual([1, 0]);
  s.close('computer');
  await s.run(50);
  expect(waits.map(({ settled }) => settled.length)).toEqual([1, 1]);
});

const hasty = { timing: { quietMs: 2, longestQuietMs: 2_000 } };
scenario('a file is given while folders are read again; a closing computer refuses', hasty, async (s) => {
  await meet(s);
  look(s);
  await s.run(10);
  const skills = s.callPorts.skills;
  look(s);
  await s.run(2);
  const early = await after(s, 1, file(s, 'pdf'));
  look(s);
  await s.run(50);
  expect(answer(early)).toMatchObject({ body: 'How to read a PDF' });
  skills.fault = 'hangs';
  const replyTo = 'host:computer';
  s.order('computer', { type: 'skill.wanted', ticket: 'held', reqId: 'r', name: 'pdf', replyTo });
  s.close('computer');
  s.order('computer', { type: 'skills.look' });
  s.order('computer', { type: 'skills.wanted', ticket: 'a', reqId: 'r', replyTo });
  s.order('computer', { type: 'skill.wanted', ticket: 'b', reqId: 'r', name: 'pdf', replyTo });
  await s.run(50);
  expect(s.heard('computer', 'skills.shown')).toMatchObject([{ ticket: 'a', failure: { code: 500 } }]);
  const refused = new Set(s.heard('computer', 'skill.shown').map(({ ticket }) => ticket));
  expect(refused).toEqual(new Set(['b', 'held']));
});
