/** Questions at a real terminal, at every moment at which one may come and be answered. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { atPty, type AtPty } from '../../scenarios/fixtures/at-pty.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';

const server = fixtureFile('mcp-server.mjs');
const ctrlC = '\u0003';
const secret = 's3cret-word';

let folder: string;
let person: AtPty | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'a2c-asked-'));
});
afterEach(() => {
  person?.kill();
  rmSync(folder, { recursive: true });
});

const given = (): string => join(folder, 'given.json');
/** What the server was started with. */
const values = (): unknown => JSON.parse(readFileSync(given(), 'utf8'));
const historyOf = (): string => {
  const file = join(folder, 'state', 'a2c', 'history');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};
const password = { type: 'promptString', id: 'tok', description: 'Token', password: true };
const user = { type: 'promptString', id: 'user', description: 'User' };
/** One server that is there at once, and one that wants these. */
function config(...inputs: readonly { readonly id: string }[]): string {
  const file = join(folder, 'servers.json');
  const script = `const { U, T } = process.env; require('fs').writeFileSync(process.argv[1], JSON.stringify({ U, T })); import(process.argv[2])`;
  const env = Object.fromEntries(inputs.map(({ id }) => [id === 'tok' ? 'T' : 'U', `\${input:${id}}`]));
  const asking = { command: process.execPath, args: ['-e', script, given(), server, 'full'], env };
  const plain = { command: process.execPath, args: [server] };
  writeFileSync(file, JSON.stringify({ mcpServers: { plain, asking }, inputs }));
  return file;
}
function start(...argv: readonly string[]): AtPty {
  person = atPty(argv, { XDG_STATE_HOME: join(folder, 'state') });
  return person;
}
const up = (file: string, boot: number): AtPty =>
  start('up', '-c', file, '--port', '0', '--boot', String(boot), '--no-inspect');
const booted = /Type help/;

/** The prompt takes a command and answers it. */
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
  ])('that is typed %s is neither shown, run nor kept, and the prompt lives on', async (_, boot) => {
    const at = up(config(password), boot);
    await at.until(/Token: /);
    if (boot < 1) await at.until(booted);
    // News stands above the question, which keeps the last row.
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

  it('is one of two questions at once, and what is pasted for both goes to each', async () => {
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

  it('may be asked for by two servers, in any order of answers and prompt', async () => {
    const at = up(config(user, password), 0.05);
    await at.until(/User: /);
    at.type('alice\r');
    await at.until(booted);
    await at.rows(/^Token:/);
    at.type(`${secret}\r`);
    await at.until(/asking +ready[^]*a2c> /);
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
    await at.until(/asking +needsInput[^]*a2c> /);
    // Yank and undo bring back nothing of it.
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
    // Who is waited for was not written over the question.
    expect(at.all).not.toMatch(/Token: [^\n]*waiting/);
  });

  it('is left out by Ctrl-C, which the failure says', async () => {
    const at = start('call', 'asking.echo', 'text=x', '-c', config(password));
    await at.until(/Token: /);
    at.type(`${secret}${ctrlC}`);
    expect(await at.exited).toBe(1);
    expect(at.all).toContain('tok');
    expect(at.all).not.toContain(secret);
  });

  it('ends in its time although nobody answers', async () => {
    const at = start('call', 'asking.echo', 'text=x', '-t', '0.5', '-c', config(password));
    await at.until(/Token: /);
    at.type(secret);
    expect(await at.exited).toBe(1);
    expect(at.all).not.toContain(secret);
  });

  it('is interrupted by Ctrl-C where nothing is asked any more', async () => {
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
  /** Each answer ends its row, also an empty one: what comes next stands below. */
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

  it.each([['y'], ['']])(
    'that is answered with %j and defaults has a row for each, at a command',
    async (first) => {
      expect(await answered(start('call', ...call, '-c', file()), first)).toEqual(shown(first));
    },
  );
  it.each([['y'], ['']])(
    'that is answered with %j and defaults has a row for each, at the prompt',
    async (first) => {
      const at = up(file(), 600);
      await at.until(booted);
      at.type(`tools call ${call.join(' ')}\r`);
      expect((await answered(at, first)).filter((row) => row !== 'a2c>')).toEqual(shown(first));
      await livesOn(at);
      await quits(at);
    },
  );
});
