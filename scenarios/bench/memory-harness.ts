import { systemClock } from '../../adapters/index.ts';
import { assemble } from '../../actors/runtime/assemble.ts';
import { Directory } from '../../actors/runtime/directory.ts';
import { Fifo } from '../../actors/runtime/fifo.ts';
import { Tap } from '../../actors/runtime/tap.ts';
import type { Judgement } from '../../machines/call/policy/index.ts';
import type { ComputerStart } from '../../machines/computer/computer.machine.ts';
import type { PortInstance, Ports } from '../../machines/kernel/ports.ts';
import type { CallSettled } from '../../machines/call/settlement.ts';
import { specPort } from '../../machines/client/spec-port.ts';
import { timing } from '../../machines/kernel/timing.ts';
import { planOf } from '../stage/server-plan.ts';
import { toolsOnly } from '../stage/scripted/script.ts';
import { echoed, textOf, type Chain } from './rows/chain.ts';
import { weigh, type Holdable } from './rows/weight.ts';

/**
 * The machines alone: no socket, no process, no JSON. What a call costs beyond its bytes, and whether that grows
 * with the number in flight.
 */

/** Answers in the order of the questions, one per microtask, so that the number in flight stays what it is. */
class Answerer {
  readonly #waiting = new Fifo<() => void>();
  #isHeld = false;
  #isBusy = false;

  add(answer: () => void): void {
    this.#waiting.push(answer);
    this.#start();
  }
  hold(): void {
    this.#isHeld = true;
  }
  release(): void {
    this.#isHeld = false;
    this.#start();
  }
  #start(): void {
    if (this.#isBusy || this.#isHeld) return;
    this.#isBusy = true;
    queueMicrotask(this.#next);
  }
  readonly #next = (): void => {
    const answer = this.#isHeld ? undefined : this.#waiting.shift();
    this.#isBusy = answer !== undefined;
    answer?.();
    if (answer) queueMicrotask(this.#next);
  };
}

const echo = { name: 'echo', inputSchema: { type: 'object' } };
const info = { name: 'echo', version: '1', protocolVersion: '2025-11-25', capabilities: toolsOnly };
const answerTo = (params: unknown): object => ({
  content: [{ type: 'text', text: (params as { arguments: { text: string } }).arguments.text }],
});
const allowed: Judgement = { problems: [], decision: 'allow', reason: 'nothing is against it' };
const inert: PortInstance = { tell: () => {}, close: () => {} };
const unused = (): never => {
  throw new Error('this bench has no such port');
};

const portsOf = (answerer: Answerer): Ports => ({
  process: (_at, _input, emit) => {
    queueMicrotask(() => emit({ type: 'child.started', pid: 1 }));
    const exited = { type: 'child.exited', code: 0, signal: null, stderr: '', left: 0 } as const;
    return { tell: () => queueMicrotask(() => emit(exited)), close: () => {} };
  },
  session: (_at, _input, emit) => {
    queueMicrotask(() => emit({ type: 'session.opened', info }));
    return inert;
  },
  request: (_from, { id, target, method, params }, emit) => {
    if (target === specPort) {
      emit({ type: 'ask.answered', id, result: { spec: 1 } });
      return () => {};
    }
    const result = method === 'tools/list' ? { tools: [echo] } : answerTo(params);
    answerer.add(() => emit({ type: 'ask.answered', id, result }));
    return () => {};
  },
  link: unused,
  office: unused,
});

const start: ComputerStart = {
  servers: [planOf('echo', { restart: false, budget: 1 }, timing, true)],
  link: null,
  shown: {},
  timing,
};

/** Computer → client → call → session and back; usually nobody watches the directory. */
export async function oursInMemory(tap = new Tap()): Promise<Chain> {
  const answerer = new Answerer();
  const directory = assemble(
    new Directory({ ...systemClock, ports: portsOf(answerer), draw: () => allowed }, tap),
  );
  const waiting = new Map<string, (result: unknown) => void>();
  await new Promise<void>((whole, failed) => {
    directory.listen('bench', (event) => {
      const { type, ticket, result, stage } = event as unknown as CallSettled & { stage?: string };
      if ((type as string) === 'computer.changed') (stage === 'whole' ? whole : failed)();
      const settle = waiting.get(ticket);
      waiting.delete(ticket);
      settle?.(result);
    });
    directory.start('computer', start, 'bench');
  });
  const holdable: Holdable = {
    call: async (n) => {
      const ticket = `t${n}`;
      const params = { text: textOf(n) };
      const result = await new Promise((resolve) => {
        waiting.set(ticket, resolve);
        const call = { ticket, reqId: ticket, agent: null, tool: 'echo', params, timeoutMs: 60_000 };
        const event = { type: 'call.request', ...call, isConfirmed: false, replyTo: 'bench' };
        directory.send('computer', event);
      });
      return echoed(result);
    },
    hold: () => answerer.hold(),
    release: () => answerer.release(),
  };
  const close = async (): Promise<void> => directory.abandon('computer');
  return { pids: [], call: holdable.call, weigh: () => weigh(holdable), close };
}

/** What is left of a call without states: an entry in a map and a timer. */
export async function mapAndTimer(): Promise<Chain> {
  const answerer = new Answerer();
  const waiting = new Map<string, { resolve: (result: unknown) => void; timer: NodeJS.Timeout }>();
  const settle = (ticket: string, result: unknown): void => {
    const entry = waiting.get(ticket);
    waiting.delete(ticket);
    clearTimeout(entry?.timer);
    entry?.resolve(result);
  };
  const holdable: Holdable = {
    call: async (n) => {
      const ticket = `t${n}`;
      const params = { arguments: { text: textOf(n) } };
      const result = await new Promise((resolve) => {
        const timer = setTimeout(() => settle(ticket, { isError: true }), 60_000);
        waiting.set(ticket, { resolve, timer });
        answerer.add(() => settle(ticket, answerTo(params)));
      });
      return echoed(result);
    },
    hold: () => answerer.hold(),
    release: () => answerer.release(),
  };
  return { pids: [], call: holdable.call, weigh: () => weigh(holdable), close: async () => {} };
}
