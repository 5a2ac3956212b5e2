import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { mostBytes, stdioWire } from './stdio.ts';

const brackets = 60_000;
const deep = '['.repeat(brackets) + ']'.repeat(brackets);
const long = `"${'x'.repeat(mostBytes)}"`;

describe('a line of a client that cannot be taken', () => {
  it.each([
    ['that is no JSON', 'what?', null, -32_700],
    ['nested too deep', `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":${deep}}`, 7, -32_600],
    ['with its id last', `{"method":"tools/call","params":${deep},"jsonrpc":"2.0","id":"b"}`, 'b', -32_600],
    ['that is too long', `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":${long}}`, 9, -32_600],
  ])('is answered: one %s', async (_which, line, id, code) => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const dropped: string[] = [];
    stdioWire((text) => dropped.push(text), { stdin, stdout });
    stdin.write(`${line}\n`);
    const [answer] = (await once(stdout, 'data')) as [Buffer];
    const message = dropped[0];
    expect(JSON.parse(answer.toString())).toEqual({ jsonrpc: '2.0', id, error: { code, message } });
  });
});
