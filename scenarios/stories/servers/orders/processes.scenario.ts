/** Failures at the start are in faults-proc. */
import { scenario } from '../../../stage/plan/index.ts';
import { ready } from '../../one-server.ts';

const quick = { tools: { read: {} } };
const stubborn = [{ fault: 'proc.ignoreStdinClose' }, { fault: 'proc.ignoreSigterm' }];
const members = { fault: 'proc.zombieGrandchild' };
const graces = { stdinGraceMs: 200, termGraceMs: 300 };
for (const [what, faults, timing, signals] of [
  [
    'a child that ignores stdin and SIGTERM is killed after both graces, and its computer ends',
    stubborn,
    graces,
    ['stdin', 'SIGTERM@200', 'SIGKILL@500'],
  ],
  [
    'a wrapper and the server behind it, both stubborn, end with one SIGKILL for their group',
    [...stubborn, { ...members, ignoresSigterm: true }],
    graces,
    ['stdin', 'SIGTERM@200', 'SIGKILL@500'],
  ],
  [
    'a polite leader with members that obey SIGTERM ends with them',
    [members],
    graces,
    ['stdin', 'SIGTERM@200'],
  ],
  [
    'what does not end within the shutdown time is ended by force with its computer',
    stubborn,
    { shutdownMs: 400 },
    ['stdin', 'force@400'],
  ],
] as const)
  scenario(what, (s) => {
    const fs = ready(s, { ...quick, faults });
    s.timing(timing);
    s.close();
    s.ended();
    s.expect(fs).signals(...signals);
    s.expect(fs).visits('connecting', 'ready', 'closing');
    s.expect.processes(fs, { started: 1, alive: 0 });
  });

scenario('members of a dead group that ignore SIGTERM do not hide how its leader ended', (s) => {
  const fs = ready(s, { tools: { read: { takes: 5_000 } } });
  s.fault(fs, 'proc.zombieGrandchild', { ignoresSigterm: true });
  s.fault(fs, 'proc.exit', { code: 3 });
  s.later(fs, 2);
  s.timing({ termGraceMs: 300, backoffMs: 1_000 });
  const call = s.call('read');
  s.reaches(fs, 'waiting');
  s.expect(call).settles('unknown', { code: 'ServerLost', says: 'exit code 3' });
  s.expect(fs).signals('SIGTERM', 'SIGKILL@300');
  s.expect(fs).says('exit code 3');
});

scenario('a polite leader with stubborn members is not called ended before they are gone', (s) => {
  const fs = ready(s, quick);
  s.fault(fs, 'proc.zombieGrandchild', { ignoresSigterm: true });
  s.timing({ stdinGraceMs: 300, termGraceMs: 300 });
  s.close();
  s.signalled(fs, 'SIGTERM');
  s.expect.processes(fs, { alive: 1 });
  s.ended();
  s.expect(fs).signals('stdin', 'SIGTERM@300', 'SIGKILL@600');
  s.expect.processes(fs, { alive: 0 });
});

scenario('a computer that hosts nothing is whole, and ends as soon as it is closed', (s) => {
  s.ready();
  s.expect.stages('computer', 'whole');
  s.close();
  s.ended();
  s.expect.stages('computer', 'whole', 'closing');
});
