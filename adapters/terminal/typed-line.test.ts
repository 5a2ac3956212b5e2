import { PassThrough } from 'node:stream';
import headless from '@xterm/headless';
import stringWidth from 'string-width';
import { afterEach, describe, expect, it } from 'vitest';
import { asLine } from '../../machines/text.ts';
import { createTerminal } from './terminal.ts';
import { columnsOf, fitting, type OnLine, type Typing } from './typed-line.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});
/** Starts a prompt on the screen of a real terminal emulator, which is closed after the test. */
function createScreen(columns: number, typing: Typing = {}, take?: OnLine) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  Object.assign(input, { isTTY: true, setRawMode: () => input });
  Object.assign(output, { isTTY: true, columns });
  const screen = new headless.Terminal({ cols: columns, rows: 20, convertEol: true, allowProposedApi: true });
  let written: Promise<void> = Promise.resolve();
  output.setEncoding('utf8').on('data', (text: string) => {
    written = new Promise((resolve) => screen.write(text, resolve));
  });
  const terminal = createTerminal({ input, output, errors: output });
  const lines: string[] = [];
  const over = terminal.prompt(
    'a2c> ',
    async (line) => {
      lines.push(line);
      return take ? take(line) : line.endsWith('{') ? 'more' : 'again';
    },
    () => 'over',
    typing,
  );
  ends.push(() => (terminal.close(), over));
  return {
    ...{ terminal, lines },
    resize: (cols: number) => {
      screen.resize(cols, 20);
      Object.assign(output, { columns: cols });
      output.emit('resize');
    },
    /** Types a text and waits until it is on the screen. */
    type: async (text: string): Promise<void> => {
      for (const char of text) {
        input.write(char);
        await new Promise(setImmediate);
      }
      await written;
    },
    /** Reads the rows that are not empty; a wrapped row is joined to the row before. */
    rows: async (): Promise<string[]> => {
      await new Promise(setImmediate);
      await written;
      const buffer = screen.buffer.active;
      const all: string[] = [];
      for (let y = 0; y < buffer.length; y++) {
        const row = buffer.getLine(y);
        const text = row?.translateToString(true) ?? '';
        if (row?.isWrapped) all.push((all.pop() ?? '') + text);
        else all.push(text);
      }
      return all.filter((row) => row.trim() !== '');
    },
  };
}
const enter = '\r';

describe('a line that is typed while messages come', () => {
  it.each([
    ['short', 'tools call echo'],
    ['of several rows', `tools call echo {"text": "${'x'.repeat(70)}"}`],
    ['with wide characters', `tools call echo {"text": "${'文件夹x'.repeat(12)}"}`],
  ])('stays whole, below them, when it is %s', async (_what, line) => {
    const { terminal, type, rows, lines } = createScreen(30);
    const chars = Array.from(line);
    for (let at = 0; at < chars.length; at += 7) {
      await type(chars.slice(at, at + 7).join(''));
      terminal.err(`message ${at}`);
    }
    const shown = await rows();
    expect(shown.filter((row) => row.startsWith('message'))).toHaveLength(Math.ceil(chars.length / 7));
    // A wide character that does not fit leaves a blank at the end of its row.
    expect(shown.at(-1)?.replaceAll(' ', '')).toBe(`a2c> ${line}`.replaceAll(' ', ''));
    await type(enter);
    expect(lines).toEqual([line]);
  });

  it('stays whole when it is edited in its middle, and when the window changes its width', async () => {
    const { terminal, type, rows, resize } = createScreen(40);
    await type(`${'a'.repeat(60)}\u0001`);
    await type('b');
    terminal.err('one');
    await rows();
    resize(25);
    terminal.err('two');
    await rows();
    resize(60);
    terminal.err('three');
    await type('c');
    expect(await rows()).toEqual(['one', 'two', 'three', `a2c> bc${'a'.repeat(60)}`]);
  });
});

it('a line that is typed goes on whole in a window that becomes narrow', async () => {
  const { type, rows, resize } = createScreen(72);
  await type(`${'x'.repeat(120)}yZ\u001B[D\u001B[D`);
  resize(50);
  await type('é');
  expect(await rows()).toEqual([`a2c> ${'x'.repeat(120)}éyZ`]);
});

describe('what is typed', () => {
  it('is neither shown nor remembered when it is a secret', async () => {
    const kept: (readonly string[])[] = [];
    const { terminal, type, rows } = createScreen(40, { onHistory: (all) => kept.push([...all]) });
    await type('half');
    const answer = terminal.question('Token: ', AbortSignal.timeout(60_000), { isSecret: true });
    await rows();
    await type('s3cret');
    terminal.err('a message');
    await type(enter);
    expect(await answer).toBe('s3cret');
    await type(` done${enter}`);
    const shown = (await rows()).join('\n');
    expect(shown).toContain('Token: ');
    expect(shown).toContain('a2c> half done');
    expect(shown).not.toContain('s3cret');
    expect(kept).toEqual([['half done']]);
  });

  it.each([
    ['half typed', 's3cret'],
    ['not begun', ''],
  ])('goes nowhere up to Enter when it is a secret that nobody wants any more, %s', async (_, begun) => {
    const kept: (readonly string[])[] = [];
    const { terminal, type, rows, lines } = createScreen(60, {
      onHistory: (all) => kept.push([...all]),
    });
    const end = new AbortController();
    const answer = terminal.question('Token: ', end.signal, { isSecret: true });
    await type(begun);
    end.abort();
    expect(await answer).toBeNull();
    await type(`s3cret-late${enter}`);
    await type(`status${enter}`);
    const shown = ['Token: (not asked any more; Enter goes on) ', 'a2c> status'];
    expect((await rows()).slice(0, 2)).toEqual(shown);
    expect(lines).toEqual(['status']);
    expect(kept).toEqual([['status']]);
  });

  it('is not brought back by yank, undo or the history when it is a secret', async () => {
    const { terminal, type, rows } = createScreen(40);
    const answer = terminal.question('Token: ', AbortSignal.timeout(60_000), { isSecret: true });
    await type('s3cret\u0015s3cret\u0017s3cret\u0003');
    expect(await answer).toBeNull();
    await type('\u0019\u001F\u001B[A');
    expect((await rows()).join()).not.toContain('s3cret');
  });

  it('has the last row, where the meter was, while a command is at work', async () => {
    const { terminal, type, rows } = createScreen(40, {}, () => new Promise(() => {}));
    const last = async (): Promise<unknown> => (await rows()).at(-1);
    await type('slow\r');
    terminal.meter('slow 1/2');
    expect(await last()).toBe('slow 1/2');
    await type('sta');
    expect(await last()).toBe('a2c> sta');
    terminal.meter('slow 2/2');
    terminal.err('news');
    expect(await last()).toBe('a2c> sta');
    await type('\u007F\u007F\u007F');
    terminal.meter('slow 2/2');
    expect(await last()).toBe('slow 2/2');
  });

  it('is remembered, but not after a blank, and an earlier run is a key away', async () => {
    const kept: (readonly string[])[] = [];
    const screen = createScreen(40, { history: ['status'], onHistory: (all) => kept.push([...all]) });
    await screen.type(`\u001B[A${enter}`);
    await screen.type(` hidden${enter}`);
    await screen.type(`calls${enter}`);
    expect(screen.lines).toEqual(['status', 'hidden', 'calls']);
    expect(kept.at(-1)).toEqual(['calls', 'status']);
  });

  it('goes on in the next line where it is not whole', async () => {
    const { type, rows, lines } = createScreen(40);
    await type(`call x {${enter}`);
    expect((await rows()).at(-1)?.trim()).toBe('...>');
    await type(`}${enter}`);
    expect((await rows()).at(-1)?.trim()).toBe('a2c>');
    expect(lines).toEqual(['call x {', '}']);
  });

  it('is completed', async () => {
    const { type, lines } = createScreen(40, {
      complete: async (line) => [['status', 'stop'].filter((word) => word.startsWith(line)), line],
    });
    await type('sta\t');
    await type(enter);
    expect(lines).toEqual(['status']);
  });
});

it('the prompt takes one column for each character that it does not ask the package for', () => {
  const wrong: string[] = [];
  for (let code = 0x20; code < 0x2200; code += 1) {
    const character = String.fromCharCode(code);
    if (columnsOf(`a${character}a`) !== stringWidth(`a${character}a`)) wrong.push(code.toString(16));
  }
  expect(wrong.filter((code) => asLine(String.fromCharCode(Number.parseInt(code, 16))).length === 1)).toEqual(
    [],
  );
});
it('the prompt cuts a line of Latin as the package would measure it', () => {
  expect(fitting('grüße an alle', 8, '…')).toBe('grüße a…');
  expect(fitting('grüße', 5, '…')).toBe('grüße');
  expect(fitting('日本語です', 5, '…')).toBe('日本…');
});
