import { describe, expect, it } from 'vitest';
import { createActor, createMachine, type AnyActorRef } from 'xstate';
import { Harness } from './harness.ts';

const servers = {
  fs: { tools: { read: { answers: {}, afterMs: 50 } } },
  bad: { tools: { write: { dies: { code: 1 } } } },
};

/** Plays a run with all actors: calls, a dying server, a lost connection, the end. */
async function play(): Promise<Harness> {
  const harness = new Harness({ servers, seed: 7 });
  await harness.office();
  harness.computer({ linked: true });
  harness.agent();
  await harness.run(100);
  harness.agentCall('read');
  harness.call('write');
  await harness.run(20);
  harness.network.faults.dropLink('a1');
  await harness.run(5000);
  harness.close();
  await harness.run(30_000);
  return harness;
}
/** Starts unrelated actors, because XState numbers the actors of all systems in a process with one counter. */
function runSomethingElse(): readonly AnyActorRef[] {
  const invoking = createMachine({ invoke: { src: createMachine({}) } });
  return Array.from({ length: 50 }, () => createActor(invoking).start());
}

describe('a trace', () => {
  it('names everybody by a path, never by a session id of XState', async () => {
    const { trace, directory } = await play();
    expect(trace.length).toBeGreaterThan(300);
    expect(trace.filter((line) => /\bx:\d/.test(line))).toEqual([]);
    expect(directory.size).toBe(0);
  });

  it('is the same again, whatever other actor systems ran in between', async () => {
    const first = await play();
    const others = runSomethingElse();
    const again = await play();
    expect(others.at(-1)?.sessionId).toMatch(/^x:\d+$/);
    expect(again.trace).toEqual(first.trace);
  });

  it('differs as soon as one thing differs', async () => {
    const first = await play();
    const other = new Harness({ servers, seed: 7 });
    await other.office();
    other.computer({ linked: true, name: 'c2' });
    other.agent();
    await other.run(100);
    expect(other.trace).not.toEqual(first.trace.slice(0, other.trace.length));
    other.close();
    await other.run(30_000);
  });

  it('tells the end of an idle computer with one good server', async () => {
    const harness = new Harness({ servers: { fs: servers.fs } });
    harness.computer();
    await harness.run(100);
    const { length } = harness.trace;
    harness.close();
    await harness.run(1000);
    expect(harness.trace.slice(length).map((line) => line.trim())).toEqual(theEnd);
  });
});

/**
 * Expected trace: `>` is an event from outside, `->` goes from one machine to another, `=` is the state that a
 * machine has entered, `-` its end.
 */
const theEnd = `
100 > host computer close
100 host -> computer: close
100 computer#1 = "closing"
100 set computer#1 timer #3 10000 ms
100 computer#1 -> host:computer: computer.changed
100 computer#1 -> computer/client:fs#1: close
100 computer/client:fs#1 = {"connected":{"draining":"cancelling"}}
100 computer/client:fs#1 = "closing"
100 clear computer/client:fs#1 timer #6
100 set computer/client:fs#1 timer #7 1000 ms
100 clear computer/client:fs#1 timer #7
100 computer/client:fs#1/session#1 session: leaf.close
100 set computer/client:fs#1 timer #8 5500 ms
100 computer/client:fs#1 -> computer#1: client.changed
100 computer#1 = "closing"
100 computer/client:fs#1 -> computer/client:fs/process: close
100 computer/client:fs/process#1 = {"closing":"stdinClosed"}
100 computer/client:fs/process#1/process#1 process: child.closeStdin
100 set computer/client:fs/process#1 timer #1 500 ms
100 computer#1 -> host:computer: client.changed
100 computer#1 -> host:computer: tools.changed
100 computer/client:fs#1 -> computer/client:fs/catalog:tools#2: catalog.rest
100 computer/client:fs/catalog:tools#2 = "standby"
100 clear computer/client:fs/catalog:tools#2 timer #2
101 > leaf computer/client:fs/process#1/process#1 child.exited
101 computer/client:fs/process#1 = "exited" [done]
101 clear computer/client:fs/process#1 timer #1
101 computer/client:fs/process#1/process#1 process: leaf.close
101 - computer/client:fs/process#1 done
101 computer/client:fs/process#1 -> computer/client:fs#1: owned.ended
101 computer/client:fs#1 = "closing"
101 computer/client:fs#1 = "closed" [done]
101 clear computer/client:fs#1 timer #8
101 - computer/client:fs#1 done
101 computer/client:fs#1 -> computer/client:fs/catalog:tools#2: owner.ended
101 computer/client:fs/catalog:tools#2 = "closed" [done]
101 - computer/client:fs/catalog:tools#2 done
101 computer/client:fs#1 -> computer#1: owned.ended
101 computer#1 = "closed" [done]
101 clear computer#1 timer #3
101 - computer#1 done
101 computer/client:fs/catalog:tools#2 -> computer/client:fs#1: owned.ended (expected)
101 computer#1 -> host:computer: owned.ended
`
  .trim()
  .split('\n');
