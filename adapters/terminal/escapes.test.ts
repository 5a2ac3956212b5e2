import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { pictureCode, createTerminal } from './terminal.ts';

const png = { base64: 'aGVsbG8=', mimeType: 'image/png' };
const jpeg = { ...png, mimeType: 'image/jpeg' };
const kitty = { TERM: 'xterm-kitty' };
const iterm = { TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' };

describe('a picture', () => {
  it.each([
    ['kitty', png, kitty, '\u001B_Ga=T,f=100,m=0;aGVsbG8=\u001B\\'],
    ['iTerm2', jpeg, iterm, '\u001B]1337;File=inline=1;size=5;preserveAspectRatio=1:aGVsbG8=\u0007'],
  ])('is drawn by the protocol of %s', (_, picture, env, code) => {
    expect(pictureCode(picture, env)).toBe(code);
  });
  it('comes to kitty in parts of 4,096 characters', () => {
    const code = pictureCode({ ...png, base64: 'A'.repeat(10_000) }, kitty) ?? '';
    expect(code.match(/m=[01];/g)).toEqual(['m=1;', 'm=1;', 'm=0;']);
    expect(code.replaceAll(/\u001B_G[^;]*;|\u001B\\/g, '')).toBe('A'.repeat(10_000));
  });
  it.each([
    ['a terminal that cannot', png, { TERM: 'xterm' }],
    ['tmux', png, { ...iterm, TMUX: '/tmp/x' }],
    ['screen', png, { ...iterm, TERM: 'screen-256color' }],
    ['kitty, which takes PNG alone', jpeg, kitty],
    ['kitty, with a code in its data', { ...png, base64: 'AAAA\u001B\\' }, kitty],
    ['iTerm2, with a bell in its data', { ...png, base64: 'AAAA\u0007' }, iterm],
    ['a sound', { ...png, mimeType: 'audio/wav' }, iterm],
  ])('is not drawn in %s', (_, picture, env) => {
    expect(pictureCode(picture, env)).toBeUndefined();
  });
});

describe('colour', () => {
  const written = (hasColors: boolean): string => {
    const errors = Object.assign(new PassThrough(), { isTTY: true, hasColors: () => hasColors });
    const terminal = createTerminal({ input: new PassThrough(), output: new PassThrough(), errors });
    terminal.err('error: no such file\u001B[31m');
    return String(errors.read());
  };
  it('is on the word that says how bad it is, and what a server colours is shown as text', () => {
    expect(written(true)).toBe('\u001B[31merror:\u001B[39m no such file\\u001b[31m\n');
  });
  it('is absent where the terminal or NO_COLOR has none', () => {
    expect(written(false)).toBe('error: no such file\\u001b[31m\n');
  });
});
