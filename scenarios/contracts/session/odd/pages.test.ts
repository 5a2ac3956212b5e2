import { describe, expect, it } from 'vitest';
import type { Answers } from '../../../../adapters/mcp/messages/answers.ts';
import { statelessWires, wires } from './odd-server.ts';
import { greeted, openOdd, type OddSession } from './odd.harness.ts';

const url = 'https://a.example/login';
const page = { mode: 'url', elicitationId: 'e', url, message: 'log in' };
const required = (elicitations: unknown) => ({
  code: -32_042,
  message: 'a page first',
  data: { elicitations },
});
const done = { content: [{ type: 'text', text: 'done' }] };
const naming = { message: `a page first: ${url}`, remedy: expect.stringContaining(url) };

describe.each(Object.keys({ ...wires, ...statelessWires }))(
  'a call that needs a page first, over %s',
  (wire) => {
    let calls = 0;
    const wanting = (times: number, elicitations: unknown, answers: Answers): Promise<OddSession> => {
      calls = 0;
      return openOdd(
        wire,
        greeted(({ id, method }, say) => {
          if (method !== 'tools/call') return;
          calls += 1;
          say({
            jsonrpc: '2.0',
            id,
            ...(calls > times ? { result: done } : { error: required(elicitations) }),
          });
        }),
        answers,
      );
    };
    const shown: unknown[] = [];
    const answering = (action: 'accept' | 'decline'): Answers => ({
      elicitUrl: async (_server, params) => {
        shown.push((params as { url?: unknown }).url);
        return { action };
      },
    });

    it('is sent once more when a person has agreed to open it', async () => {
      shown.length = 0;
      const { ask } = await wanting(1, [page], answering('accept'));
      expect(await ask('tools/call', { name: 't' })).toMatchObject({ type: 'ask.answered', result: done });
      expect([calls, shown]).toEqual([2, [url]]);
    });
    it('is not sent again when another page is needed after it, and names that page', async () => {
      const { ask } = await wanting(5, [page], answering('accept'));
      expect(await ask('tools/call', { name: 't' })).toMatchObject({ type: 'ask.refused', failure: naming });
      expect(calls).toBe(2);
    });
    it.each([
      ['a person says no', answering('decline')],
      ['the host cannot show it', {}],
      ['the host fails to show it', { elicitUrl: () => Promise.reject(new Error('no')) }],
    ])('is refused where %s, and names the page', async (_why, answers) => {
      const { ask } = await wanting(1, [page], answers);
      expect(await ask('tools/call', { name: 't' })).toMatchObject({ type: 'ask.refused', failure: naming });
      expect(calls).toBe(1);
    });
    it.each([
      ['no pages', undefined],
      ['pages that are none', [null, 5, { url: 'nowhere' }]],
      ['a page that is a program', [{ ...page, url: 'javascript:alert(1)' }]],
    ])('is refused as it came, with %s', async (_what, elicitations) => {
      const { ask } = await wanting(1, elicitations, answering('accept'));
      const failure = { message: 'a page first', details: { code: -32_042 } };
      expect(await ask('tools/call', { name: 't' })).toMatchObject({ type: 'ask.refused', failure });
      expect(calls).toBe(1);
    });
  },
);
