/** Servers whose lists or contents change whenever they are read. */
import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import { follow } from '../../stage/following.ts';
import { changes, now, reads, says, listing } from '../../stage/showing.ts';
import { asksOf, everybody } from '../../stage/watching.ts';
import type { Script } from '../../stage/scripted/script.ts';

const shows = listing((uri) => ({ answers: { contents: [{ uri, text: uri }] } }));
let renewed = 0;
const renewing: Script = {
  ...shows,
  methods: {
    ...shows.methods,
    'resources/read': ({ arguments: { uri }, announce }) => {
      renewed += 1;
      says('window://a/0', `window://a/${renewed}`);
      announce('resources');
      return { answers: { contents: [{ uri: String(uri), text: now.text }] } };
    },
  },
};

scenario(
  'a server whose list of windows is another one whenever one is read is read ever less often, though an agent follows, and that is told once',
  { servers: { a: renewing }, timing: { pollMs: 60_000 } },
  async (s) => {
    renewed = 0;
    says('window://a/0');
    await everybody(s);
    follow(s, 'desktop');
    await s.run(60_000);
    const [lists, before] = [asksOf(s, 'resources/list', 'a').length, reads(s)];
    expect(s.heard('computer', 'list.restless')).toMatchObject([{ failure: { code: 'ListRestless' } }]);
    // Requested after 0.2, 0.4, 0.8 … s; one in each 0.6 s would make 100.
    expect(lists).toBeLessThan(14);
    await s.run(300_000);
    expect(asksOf(s, 'resources/list', 'a').length - lists).toBeLessThan(8);
    expect(reads(s) - before).toBeLessThan(16);
    expect(changes(s, 'desktop')).toBeLessThan(24);
  },
);
