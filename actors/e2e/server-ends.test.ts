import { describe, expect, it } from 'vitest';
import { launched, pidsOf } from '../../scenarios/fixtures/hosted.ts';
import { endingComputer } from '../../scenarios/fixtures/ending-computer.ts';
import { foreign } from '../../machines/config/config-input.ts';

const mark = crypto.randomUUID();
const one = (more: object = {}): object => ({ mcpServers: { a: launched(mark, 'echo', more) } });
const start = () => endingComputer(mark, { config: foreign(one()) });

describe('a server', () => {
  it('says so when it is disabled and has ended, and is not removed', async () => {
    const { computer, ear } = await start();
    await computer.servers.add(foreign(one({ disabled: true })));
    await ear.until(() => ear.statesOf('a').at(-1) === 'disabled');
    expect(ear.of('server.changed').at(-1)).toMatchObject({ name: 'a', state: 'disabled', failure: null });
    expect(pidsOf(mark)).toEqual([]);
    expect(ear.of('server.removed')).toEqual([]);
    expect(computer.status().state).toBe('whole');
  });
  it('is told with its signal at once when it is killed, not with its broken stream', async () => {
    const { computer, ear } = await start();
    const before = ear.of('server.changed').length;
    process.kill(computer.status().servers[0]?.pid ?? 0, 'SIGKILL');
    await ear.until(() => ear.of('server.changed').length > before);
    expect(ear.of('server.changed')[before]).toMatchObject({
      ...{ name: 'a', state: 'recovering' },
      // Windows has no signals: a process is ended with code 1.
      failure: { details: process.platform === 'win32' ? { exit_code: 1 } : { signal: 'SIGKILL' } },
    });
  });
  it('is ready when that is told although it was removed and put back while it still ended; its removal is told, too', async () => {
    const { computer, ear } = await start();
    const removed = computer.servers.remove('a');
    expect(await computer.servers.add(foreign(one()))).toMatchObject({ name: 'a', state: 'ready' });
    await removed;
    expect(ear.of('server.removed')).toEqual([{ name: 'a' }]);
    expect(ear.told.findIndex(({ name }) => name === 'server.removed')).toBeLessThan(
      ear.told.findLastIndex(({ name }) => name === 'server.changed'),
    );
  });
});

describe('a change of the config', () => {
  it('is told to the host with the names of the servers from now on', async () => {
    const { computer, ear } = await start();
    await computer.servers.add({ mcpServers: { b: launched(mark, 'pages') } });
    expect(ear.of('config.changed')).toEqual([{ servers: ['a', 'b'] }]);
  });
});
