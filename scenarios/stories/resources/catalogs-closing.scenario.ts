/**
 * Scenarios of lists that end: told to close, or because the machine of their client has failed; and of clients that
 * end while their lists are read again.
 */
import { expect } from 'vitest';
import { broken } from '../../fixtures/altered.ts';
import type { Harness } from '../../stage/harness.ts';
import { scenario } from '../../stage/plan/index.ts';
import { client, everything, meets } from '../../stage/watching.ts';

const list = `${client}/catalog:tools`;
const tools = { read: { answers: {} } };
const slow = { tools, listMs: 100 };
const close = (s: Harness): void => {
  s.order(list, { type: 'close' });
  expect(s.state(list)).toBe('closing');
};
/** Returns the last state of the machine, living or ended. */
const lastState = (s: Harness): string | undefined =>
  s.trace.findLast((line) => line.includes(`${list}#2 = `))?.replace(/^.* = "(\w+)".*$/, '$1');

scenario(
  'a list that is closing changes nothing any more, and what it asked is cut off after its grace',
  { servers: { fs: { tools, listMs: 'never' } } },
  async (s) => {
    s.computer();
    await s.run(10);
    expect(s.state(list)).toBe('{connecting:asking}');
    close(s);
    s.order(list, { type: 'catalog.open', isDeclared: true });
    s.order(list, { type: 'catalog.rest', why: 'x' });
    s.order(list, { type: 'catalog.forget', why: 'x' });
    s.order(list, { type: 'list.changed' });
    s.order(list, { type: 'list.doubted' });
    s.order(list, { type: 'list.wanted', by: 'desktop', n: 1 });
    s.order(list, { type: 'close' });
    await s.run(249);
    expect(s.state(list)).toBe('closing');
    await s.run(1);
    expect(lastState(s)).toBe('killed');
  },
);
scenario(
  'a list that is closing ends with the answer that it waits for',
  { servers: { fs: slow } },
  async (s) => {
    s.computer();
    await s.run(150);
    s.servers.announce('fs');
    await meets(s, list, 'refreshing');
    close(s);
    await s.run(110);
    expect(lastState(s)).toBe('closed');
  },
);
scenario(
  'a list that is closing ends with the session that it has asked',
  { servers: { fs: slow } },
  async (s) => {
    s.computer();
    await s.run(50);
    close(s);
    s.servers.kill('fs', { code: 1 });
    await s.run(1);
    expect(lastState(s)).toBe('closed');
  },
);

for (const state of ['connecting', 'refreshing', 'closing'])
  scenario(
    `a list that is ${state} when the machine of its client fails is cut off`,
    { servers: { fs: slow }, kinds: broken('client', 'noteWatch'), failing: '/client:' },
    async (s) => {
      s.computer();
      await s.run(50);
      if (state === 'refreshing') {
        await s.run(100);
        s.servers.announce('fs');
        await meets(s, list, 'refreshing');
      }
      if (state === 'closing') close(s);
      expect(s.state(list)).toContain(state);
      s.order(client, { type: 'resources.watch', uris: [], by: 'host' });
      expect(lastState(s)).toBe('killed');
    },
  );

scenario(
  'a client is refreshing while one of its lists is read again, until the last of them is there',
  {
    servers: { fs: { ...slow, info: { capabilities: everything } } },
    timing: { listMs: 1_000 },
    mend: (ports) => {
      let asked = 0;
      return {
        ...ports,
        // The second list of prompts never comes.
        request: (from, question, emit) =>
          question.method === 'prompts/list' && (asked += 1) > 1
            ? () => {}
            : ports.request(from, question, emit),
      };
    },
  },
  async (s) => {
    const isRefreshing = (): boolean => s.state(client)?.includes('lists:refreshing') === true;
    s.computer();
    await s.run(500);
    expect(s.state(client)).toBe('{connected:{ready:{health:steady,lists:known}}}');
    expect(isRefreshing()).toBe(false);
    s.servers.announce('fs', 'tools');
    await s.run(50);
    s.servers.announce('fs', 'prompts');
    await meets(s, list, 'refreshing');
    expect(isRefreshing()).toBe(true);
    await meets(s, list, 'ready');
    expect(s.state(`${client}/catalog:prompts`)).toBe('{refreshing:asking}');
    expect(isRefreshing()).toBe(true);
    await s.run(s.timing.listMs);
    expect(isRefreshing()).toBe(false);
  },
);
