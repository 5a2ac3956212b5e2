import { describe, expect, it } from 'vitest';
import { createLedger } from './reaper/ledger.ts';
import { openInBrowser, runText } from './run-text.ts';

const ms = 60_000;
const node = (script: string): string => `"${process.execPath}" -e "${script}"`;

describe('a command that is run to its end', () => {
  it('is given its input, and answers what it writes', async () => {
    expect(await runText(node('process.stdin.pipe(process.stdout)'), { input: 'hello', ms })).toBe('hello');
  });

  it.each([
    ['another exit code', node("console.error('no luck'); process.exit(3)"), 'exit code 3: no luck'],
    ['too much output', node("process.stdout.write('x'.repeat(2e6))"), 'more than 1 MiB'],
    [
      'a name that is none',
      'no-such-command-anywhere',
      process.platform === 'win32' ? 'exit code' : 'exit code 127',
    ],
  ])('fails with %s', async (_what, line, message) => {
    await expect(runText(line, { ms })).rejects.toThrow(message);
  });

  it('is ended when its time is over, and when nobody wants it', async () => {
    const forever = node('setInterval(() => {}, 1000)');
    await expect(runText(forever, { ms: 20 })).rejects.toThrow('was not over');
    await expect(runText(forever, { ms, signal: AbortSignal.abort() })).rejects.toThrow('not wanted');
  });

  it('is in the ledger of its host until it has ended, and ends with it', async () => {
    const ledger = createLedger({ reaper: false, stateDir: false });
    const running = runText(node('setInterval(() => {}, 1000)'), { ms, ledger });
    expect(ledger.size).toBe(1);
    ledger.killAll();
    await expect(running).rejects.toThrow('the command was ended with its host');
    await ledger.closed();
    expect(ledger.size).toBe(0);
    expect(await runText(node('console.log(1)'), { ms, ledger })).toBe('1\n');
    await ledger.closed();
    expect(ledger.size).toBe(0);
  });
});

it.each(['file:///etc/passwd', 'javascript:alert(1)', 'not a url', '-x'])(
  'a page is opened for addresses of the web only: not for %s',
  async (url) => {
    expect(await openInBrowser(url)).toBe(false);
  },
);
