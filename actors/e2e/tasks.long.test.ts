import { expect, it } from 'vitest';
import type { Computer } from '../index.ts';
import { computerWith } from '../../scenarios/fixtures/booted.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of tools that run only as tasks (MCP 2025-11-25), on a server made with the official SDK. */
const server = fixtureFile('task-server.mjs');
const entry = { command: process.execPath, args: [server], autoApprove: ['all'] };
const opened = async (): Promise<Computer> => closedAfter(await computerWith({ it: entry }));

it('a task is called as one, and tells how it stands until its result is there', async () => {
  const call = (await opened()).callTool('count', {});
  const told: (string | undefined)[] = [];
  call.on('progress', ({ message }) => told.push(message));
  expect(await call).toMatchObject({ outcome: 'succeeded', result: { content: [{ text: 'counted' }] } });
  expect(told).toEqual(['working', 'working: one', 'completed: one']);
});
it('a task that fails is a tool that says so', async () => {
  expect(await (await opened()).callTool('fail', {})).toMatchObject({
    outcome: 'failed',
    result: { isError: true },
  });
});
it('a task is cancelled with its call', async () => {
  const computer = await opened();
  const wrote = (word: string): Promise<void> =>
    new Promise(
      (resolve) => void computer.on('server.wrote', ({ text }) => text.includes(word) && resolve()),
    );
  const call = computer.callTool('forever', {});
  await wrote('working');
  const cancelled = wrote('cancelled');
  call.cancel();
  expect(await call).toMatchObject({ end: 'cancelled' });
  await cancelled;
});
it('a task that is under way when its server dies is unknown', async () => {
  expect(await (await opened()).callTool('die', {})).toMatchObject({
    outcome: 'unknown',
    failure: { code: 'ServerLost' },
  });
});
