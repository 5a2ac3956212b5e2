import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startCommand } from '../../scenarios/fixtures/command-process.ts';
import { SeatedPeer } from '../../scenarios/fixtures/seated-peer.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

it.skipIf(process.platform === 'win32')(
  'a reload takes back the token that is not in its file any more',
  async () => {
    const state = testFolder('reload');
    const path = join(state, 'tokens.json');
    const tokens = (...all: readonly string[]): void => writeFileSync(path, JSON.stringify({ tokens: all }));
    tokens('red', 'blue');
    const argv = ['office', '--port', '0', '--token', 'own', '--tokens', path];
    const { child, said } = startCommand(argv, { XDG_STATE_HOME: state });
    const [url] = await said(/^http:\S+(?=\n)/);
    const red = closedAfter(new SeatedPeer(url, 'red', 'red'));
    const blue = closedAfter(new SeatedPeer(url, 'blue', 'blue'));
    for (const peer of [red, blue]) await peer.join('agent', peer.name);
    await said(/Ctrl-C closes it/);
    tokens('blue');
    child.kill('SIGHUP');
    await red.hears('notify:disconnecting', { code: 401, message: 'This office does not know that token' });
    await said(/read again; 1 disconnected/);
    writeFileSync(path, '{');
    child.kill('SIGHUP');
    await said(/not read again, all stays as it was/);
    expect([blue.socket.connected, child.exitCode, child.signalCode]).toEqual([true, null, null]);
  },
);
