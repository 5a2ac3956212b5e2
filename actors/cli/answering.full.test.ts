/** Tests of questions at a real terminal, asked and answered at every moment that is possible. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { atPty, type AtPty } from '../../scenarios/fixtures/at-pty.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

const server = fixtureFile('mcp-server.mjs');
const ctrlC = '\u0003';
const secret = 's3cret-word';

let folder: string;
beforeEach(() => {
  folder = testFolder('asked');
});

const given = (): string => join(folder, 'given.json');
/** Reads the environment values with which the server was started. */
const values = (): unknown => JSON.parse(readFileSync(given(), 'utf8'));
const historyOf = (): string => {
  const file = join(folder, 'state', 'a2c', 'history');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};
const user = { type: 'promptString', id: 'user', description: 'User' };
const password = { type: 'promptString', id: 'tok', description: 'Token', password: true };
/** Config of two servers: one is ready at once, the other one needs the given inputs. */
function config(...inputs: readonly { readonly id: string }[]): string {
  const file = join(folder, 'servers.json');
  const script = `const { U, T } = process.env; require('fs').writeFileSync(process.argv[1], JSON.stringify({ U, T })); import(process.argv[2])`;
  const env = Object.fromEntries(inputs.map(({ id }) => [id === 'tok' ? 'T' : 'U', `\${input:${id}}`]));
  const asking = { command: process.execPath, args: ['-e', script, given(), server, 'full'], env };
  const plain = { command: process.execPath, args: [server] };
  writeFileSync(file, JSON.stringify({ mcpServers: { plain, asking }, inputs }));
  return file;
}
const start = (...argv: readonly string[]): AtPty => atPty(argv, { XDG_STATE_HOME: join(folder, 'state') });
const up = (file: string, boot: number): AtPty =>
  start('up', '-c', file, '--port', '0', '--boot', String(boot), '--no-inspect');
const booted = /Type help/;

async function livesOn(at: AtPty): Promise<void> {
  at.type('calls\r');
  await at.until(/no call runs/);
}
async function quits(at: AtPty): Promise<void> {
  at.type('quit\r');
  expect(await at.exited).toBe(0);
}

describe('a password at a2c up', () => {
  it.each([
    ['before the boot wait is over', 600],
    ['after it, behind the prompt', 0.05],
  ])('is neither shown, run nor kept when it is typed %s, and the prompt lives on', async (_, boot) => {
    const at = up(config(password), boot);
    await at.until(/Token: /);
    if (boot < 1) await at.until(booted);
    // The lines of news are written above the question, which keeps the last row of the terminal.
    expect((await at.rows(/^Token:/)).at(-1)).toBe('Token:');
    at.type(`${secret}\r`);
    await at.until(/asking +ready[^]*a2c> /);
    expect(values()).toEqual({ T: secret });
    await livesOn(at);
    await quits(at);
    expect(at.all).not.toContain(secret);
    expect(at.all).not.toContain('unknown command');
    expect(historyOf()).toBe('quit\ncalls\n');
  });

  it('two questions for passwords are open at once, and what is pasted for both goes to each', async () => {
    const at = up(config(user, password), 0.05);
    await at.until(/User: /);
    await at.until(booted);
    at.type(`alice\r${secret}\r`);
    await at.until(/asking +ready[^]*a2c> /);
    expect(values()).toEqual({ U: 'alice', T: secret });
    await livesOn(at);
    await quits(at);
    expect(at.all).not.toContain(secret);
  });

  it.each([
    ['before the boot wait is over', 600],
    ['after it', 0.05],
  ])('is left out by Ctrl-C %s, and what was half typed of it is gone', async (_, boot) => {
    const at = up(config(password), boot);
    await at.until(/Token: /);
    if (boot < 1) await at.until(booted);
    at.type(`${secret}${ctrlC}`);
    await at.until(/asking +needs a value[^]*a2c> /);
    // The keys for yank and undo must not bring back any part of the password.
    at.type('\u0019\u001f');
    await livesOn(at);
    await quits(at);
    expect(at.all).not.toContain(secret);
    expect(existsSync(given())).toBe(false);
  });
});

describe('a password at a command that asks once', () => {
  it('is asked for where it can be seen, and the command goes on with it', async () => {
    const at = start('call', 'asking.echo', 'text=answered', '-c', config(password));
    await at.until(/Token: /);
    expect((await at.rows(/^Token:/)).at(-1)).toBe('Token:');
    at.type(`${secret}\r`);
    expect(await at.exited).toBe(0);
    await at.rows(/^answered$/);
    expect(at.all).not.toContain(secret);
    // The line with the servers that are waited for must not be written over the question.
    expect(at.all).not.toMatch(/Token: [^\n]*waiting/);
  });

  it.each([['call', 'asking.echo', 'text=x'], ['tools'], ['status', 'asking']])(
    'ends %s by Ctrl-C, and leaves nothing',
    async (...words) => {
      const second = { ...password, id: 'user', description: 'User' };
      const at = start(...words, '-c', config(password, second));
      await at.until(/(Token|User): /);
      at.type(`${secret}${ctrlC}`);
      expect(await at.exited).toBe(130);
      expect(at.all).not.toContain(secret);
      expect(at.all).not.toContain('Enter goes on');
      expect(existsSync(given())).toBe(false);
      expect(historyOf()).toBe('');
    },
  );

  it('a command that asks for a password ends in its time although nobody answers', async () => {
    const at = start('call', 'asking.echo', 'text=x', '-t', '0.5', '-c', config(password));
    await at.until(/Token: /);
    at.type(secret);
    expect(await at.exited).toBe(2);
    expect(at.all).not.toContain(secret);
  });

  it('Ctrl-C interrupts a command that asks for no password any more', async () => {
    const file = join(folder, 'mute.json');
    const env = { T: '${input:tok}' };
    const mute = { command: process.execPath, args: [server, 'mute'], env };
    writeFileSync(file, JSON.stringify({ mcpServers: { mute }, inputs: [password] }));
    const at = start('tools', '-c', file);
    await at.until(/Token: /);
    at.type(`${secret}\r`);
    await at.until(/waiting for mute/);
    at.type(ctrlC);
    expect(await at.exited).toBe(130);
    expect(at.all).not.toContain(secret);
  });
});

describe('a form', () => {
  const form = {
    message: 'Who are you?',
    requestedSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', default: 'Ada' },
        ok: { type: 'boolean', default: true },
        colour: { type: 'string', enum: ['red', 'green'] },
      },
    },
  };
  const call = ['plain.askHost', JSON.stringify({ method: 'elicitation/create', params: form })];
  const file = (): string => {
    const path = join(folder, 'servers.json');
    const plain = { command: process.execPath, args: [server, 'full'] };
    writeFileSync(path, JSON.stringify({ mcpServers: { plain } }));
    return path;
  };
  /** Answers four questions; each answer, also an empty one, must end its row, so that later output stands below. */
  async function answered(at: AtPty, first: string): Promise<readonly string[]> {
    const questions = [/^answer it\? /, /^name /, /^ok /, /^colour /];
    const answers = [first, '', '', '2'];
    for (const [n, question] of questions.entries()) {
      expect((await at.rows(question)).at(-1)).toMatch(question);
      at.type(`${answers[n]}\r`);
    }
    const rows = await at.rows(/"result".*"accept"/);
    return rows.slice(rows.findIndex((row) => row.startsWith('answer it?')));
  }
  const shown = (first: string): readonly string[] => [
    `answer it? [Y/n] ${first}`.trim(),
    ...['name ["Ada"]:', 'ok [true]:', '  1  red', '  2  green', 'colour (optional): 2'],
    '{"result":{"action":"accept","content":{"name":"Ada","ok":true,"colour":"green"}}}',
  ];

  it('has a row for each answer at a command', async () => {
    expect(await answered(start('call', ...call, '-c', file()), 'y')).toEqual(shown('y'));
  });
  it('has a row for each answer at the prompt, also for an empty one', async () => {
    const at = up(file(), 600);
    await at.until(booted);
    at.type(`tools call ${call.join(' ')}\r`);
    expect((await answered(at, '')).filter((row) => row !== 'a2c>')).toEqual(shown(''));
    await livesOn(at);
    await quits(at);
  });
});
