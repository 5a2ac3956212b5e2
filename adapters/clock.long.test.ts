import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const clock = new URL('clock.ts', import.meta.url).href;

it.each(['waitingTimers', 'wallTimers'])(
  'a process in which only a timer of %s is left ends by itself, before it fires',
  async (timers) => {
    const script = `
      import { ${timers} as timers } from ${JSON.stringify(clock)};
      timers.setTimeout(() => console.log('fired'), 3_600_000);
      console.log('set');`;
    const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
    // Ends a process that would stay for the hour of its timer.
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 120_000 });
    expect(stdout).toBe('set\n');
  },
);
