import assert from 'node:assert/strict';
import { casesOf, type ContractCase } from '../contract.ts';
import { rule, inHarness, type ChildBehaviour, type ProcessSubject } from './process.harness.ts';

/**
 * Returns the test cases for a `process` port, which cover everything that the machine of the port relies on.
 * @example
 * for (const { title, run } of processContract(launcherSubject({ launcher }))) test(title, run);
 */
export const processContract = (subject: ProcessSubject): readonly ContractCase[] =>
  casesOf(
    {
      'a life': aLife,
      'the ladder': theLadder,
      'a command': aCommand,
      'close is final': [
        ...beforeAnything.map(closedAtOnce),
        ...withLife.map(closedWhileRunning),
        closedAfterwards,
      ],
    },
    (rule) => inHarness(subject, rule),
  );

const aLife = [
  rule(
    'starts with a pid and ends with code 0 when a good child loses its stdin',
    async ({ running, world, endedWith }) => {
      const child = await running('good');
      assert.ok((await child.next('child.started')).pid > 0);
      assert.equal(world.alive(), 1);
      child.closeStdin();
      endedWith(await child.next('child.exited'), 0);
      await world.settled();
      assert.deepEqual(child.types(), ['child.started', 'child.exited']);
      assert.equal(world.alive(), 0);
    },
  ),

  rule(
    'that ends by itself is told with its code and the last words on stderr',
    async ({ open, endedWith }) => {
      const child = open('crashes');
      const end = await child.next('child.exited');
      endedWith(end, 7);
      assert.match(end.stderr, /boom/);
      assert.deepEqual(child.types(), ['child.started', 'child.exited']);
    },
  ),

  rule(
    'that could not begin is told once, by a sentence that names the command, and as final',
    async ({ open, world, isRemote }) => {
      const child = open('missing');
      if (isRemote) {
        await world.until(() => child.types().some((type) => type !== 'child.started'));
      } else {
        const failed = await child.next('child.failed');
        assert.match(failed.message, /no-such-command/);
        assert.equal(failed.isFinal, true);
      }
      const told = child.types();
      child.closeStdin();
      child.signal('SIGKILL');
      child.close();
      await world.settled();
      assert.deepEqual(child.types(), told);
      // A program such as `ssh` that runs a missing command ends with a code other than 0; else the launch fails.
      if (told[0] === 'child.started') assert.notEqual((await child.next('child.exited')).code, 0);
      else assert.deepEqual(told, ['child.failed']);
      assert.equal(world.alive(), 0);
    },
  ),

  rule('touches no other', async ({ running, world, endedWith }) => {
    const [one, other] = await Promise.all([running('good'), running('good')]);
    one.signal('SIGKILL');
    await one.next('child.exited');
    assert.deepEqual(other.types(), ['child.started']);
    assert.equal(world.alive(), 1);
    other.closeStdin();
    endedWith(await other.next('child.exited'), 0);
  }),
];

const theLadder = [
  rule(
    'has SIGTERM for a child that takes no notice of the end of its stdin',
    async ({ running, endedBy }) => {
      const child = await running('ignoresStdin');
      child.closeStdin();
      child.signal('SIGTERM');
      const exit = await child.next('child.exited');
      endedBy(exit, 'SIGTERM');
      assert.equal(exit.left, 0);
    },
  ),

  rule('has SIGKILL for a child that takes no notice of SIGTERM', async ({ running, endedBy }) => {
    const child = await running('stubborn');
    child.closeStdin();
    child.signal('SIGTERM');
    child.signal('SIGKILL');
    const exit = await child.next('child.exited');
    endedBy(exit, 'SIGKILL');
    assert.equal(exit.left, 0);
  }),

  rule('reaches a server behind its wrapper at once', async ({ running, world }) => {
    const child = await running('wrapped');
    child.signal('SIGKILL');
    await child.next('child.exited');
    await world.settled();
    assert.equal(world.alive(), 0);
  }),

  rule(
    'counts a server that outlives its wrapper, and reaches it with the next signal',
    async ({ running, world, isRemote, endedBy }) => {
      const child = await running('wrapped');
      child.signal('SIGTERM');
      const exit = await child.next('child.exited');
      endedBy(exit, 'SIGTERM');
      assert.equal(exit.left, isRemote ? 0 : 1);
      assert.equal(world.alive(), exit.left);
      child.signal('SIGKILL');
      if (exit.left > 0) await child.next('group.emptied');
      await world.settled();
      const told = ['child.started', 'child.exited', 'group.emptied'];
      assert.deepEqual(child.types(), isRemote ? told.slice(0, 2) : told);
      assert.equal(world.alive(), 0);
    },
  ),

  rule('counts a grandchild that a good child leaves behind', async ({ running, world, isRemote }) => {
    const child = await running('leavesGrandchild');
    child.closeStdin();
    const { code, left } = await child.next('child.exited');
    assert.deepEqual({ code, left }, { code: 0, left: isRemote ? 0 : 1 });
    child.signal('SIGTERM');
    if (left > 0) await child.next('group.emptied');
    assert.equal(world.alive(), 0);
  }),
];

const aCommand = [
  rule('to a child that has ended does nothing', async ({ running, world }) => {
    const child = await running('good');
    child.closeStdin();
    await child.next('child.exited');
    child.closeStdin();
    child.signal('SIGTERM');
    child.signal('SIGKILL');
    await world.settled();
    assert.deepEqual(child.types(), ['child.started', 'child.exited']);
  }),

  rule('given twice works once', async ({ running, endedWith }) => {
    const child = await running('good');
    child.closeStdin();
    child.closeStdin();
    endedWith(await child.next('child.exited'), 0);
  }),
];

const withLife = ['good', 'ignoresStdin', 'stubborn', 'wrapped', 'leavesGrandchild'] as const;
const beforeAnything = [...withLife, 'crashes', 'missing'] as const;

const closedAtOnce = (behaviour: ChildBehaviour) =>
  rule(`before anything was heard of a child: ${behaviour}`, async ({ open, world }) => {
    const child = open(behaviour);
    child.close();
    await world.settled();
    assert.deepEqual(child.facts, []);
    assert.equal(world.alive(), 0);
  });

const closedWhileRunning = (behaviour: ChildBehaviour) =>
  rule(`for a running child: ${behaviour}`, async ({ running, world }) => {
    const child = await running(behaviour);
    child.close();
    child.close();
    child.closeStdin();
    child.signal('SIGTERM');
    await world.settled();
    assert.deepEqual(child.types(), ['child.started']);
    assert.equal(world.alive(), 0);
  });

const closedAfterwards = rule('for what an ended child left behind', async ({ running, world }) => {
  const child = await running('wrapped');
  child.signal('SIGTERM');
  await child.next('child.exited');
  child.close();
  await world.settled();
  assert.deepEqual(child.types(), ['child.started', 'child.exited']);
  assert.equal(world.alive(), 0);
});
