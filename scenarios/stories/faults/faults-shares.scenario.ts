import { scenario, type Scene } from '../../stage/plan/index.ts';

const idleMs = 10_000;
const share = (s: Scene): void => {
  s.office();
  s.shares({
    landing: { idleMs, isApproved: true },
    skills: { pdf: { 'SKILL.md': 'How to read a PDF' }, word: { 'SKILL.md': 'How to write' } },
  });
  s.ready();
};

scenario('an agent puts files and reads large contents, whole', (s) => {
  share(s);
  const [put, got, small] = [s.put(9_000), s.fetch(9_000), s.put(1)];
  s.shown(put, got, small);
  s.expect(put).shows({ code: null, uris: ['/landing/upload-1_ask1'] });
  s.expect(got).shows({ code: null, total: 9_000 });
  s.expect(small).shows({ code: null, uris: ['/landing/upload-2_ask3'] });
});

scenario('a content whose parts stop coming goes on where it was when they come again', (s) => {
  share(s);
  const got = s.fetch(9_000);
  s.run(5);
  s.fault('blob.stall');
  s.run(60_000);
  s.clearFaults();
  s.expect(s.shown(got)).shows({ code: null, total: 9_000 });
});

scenario('a content that breaks fails, and so does each that is asked for until the disk is well', (s) => {
  share(s);
  const got = s.fetch(9_000);
  s.run(5);
  s.fault('blob.break');
  const other = s.fetch(100);
  s.shown(got, other);
  s.expect(got).shows({ code: 500 });
  s.expect(other).shows({ code: 500, total: 0 });
  s.clearFaults();
  s.expect(s.shown(s.fetch(9_000))).shows({ code: null, total: 9_000 });
});

scenario('a content that is not what its hash says fails after its last part', (s) => {
  share(s);
  s.fault('blob.lie');
  s.expect(s.shown(s.fetch(9_000))).shows({ code: 500, total: 9_000 });
});

for (const [what, ms, uri] of [
  ['has ended when they come again after the idle time', idleMs + 1_000, '/landing/upload-2_ask1'],
  ['for less than the idle time lands', idleMs - 1_000, '/landing/upload-1_ask1'],
] as const)
  scenario(`a file whose parts stop coming ${what}`, (s) => {
    share(s);
    s.fault('blob.stall', { way: 'up' });
    const put = s.put(9_000);
    s.run(ms);
    s.clearFaults();
    s.expect(s.shown(put)).shows({ code: null, uris: [uri] });
  });

scenario('a file whose disk breaks is refused, and lands when the disk is well', (s) => {
  share(s);
  s.fault('blob.break', { way: 'up' });
  const put = s.shown(s.put(9_000));
  s.expect(put).shows({ code: 4019, uris: [] });
  s.clearFaults();
  s.expect(s.shown(s.put(9_000))).shows({ code: null, uris: ['/landing/upload-2_ask2'] });
});

scenario('an agent that lies about the hash of a file gets no file', (s) => {
  share(s);
  s.fault('blob.lie', { way: 'up' });
  s.expect(s.shown(s.put(9_000))).shows({ code: 4019, uris: [] });
});

scenario('a skill folder that vanishes is empty, and has its skills when it is back', (s) => {
  share(s);
  const there = [s.skill(), s.skill('pdf')] as const;
  s.shown(...there);
  s.expect(there[0]).shows({ code: null, uris: ['pdf', 'word'] });
  s.expect(there[1]).shows({ code: null, uris: ['SKILL.md'], texts: ['How to read a PDF'] });
  s.fault('skill.vanish');
  s.run(1_000);
  const gone = [s.skill(), s.skill('pdf')] as const;
  s.shown(...gone);
  s.expect(gone[0]).shows({ code: null, uris: [] });
  s.expect(gone[1]).shows({ code: 4014 });
  s.clearFaults();
  s.run(1_000);
  s.expect(s.shown(s.skill('pdf'))).shows({ code: null, texts: ['How to read a PDF'] });
});
