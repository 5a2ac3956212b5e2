import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { createTransformer, transformAsk, type TransformerOptions } from '../../adapters/index.ts';
import type { AskFact, Transformed, Transformer } from '../../machines/ports.ts';
import { timing } from '../../machines/timing.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { registered } from './registered.ts';
import { transformContract, type Program, type TransformWorld } from './transform.contract.ts';
import { createWaiting } from './waiting.ts';

/** The real one, in this file alone: each thread that it starts loads 13 MB first. */
const sources: Readonly<Record<Program, string>> = {
  good: '.status = "processed"',
  wrong: '.a = 1\n.field =',
  failing: 'abort "no such luck"',
  // Twenty to the power of twelve turns.
  endless: `l = [${'1,'.repeat(19)}1]\n${'for_each(l) -> |_i, _v| { '.repeat(12)}.n = 1${' }'.repeat(12)}`,
};

/** A clock of which it can be awaited that a program's time begins. */
function createTimers() {
  const clock = new VirtualClock();
  const { heard, until } = createWaiting();
  const programs = new Set<number>();
  const said = heard<void>(() => {});
  return {
    clock,
    heard: () => said(),
    until,
    isRunning: () => programs.size > 0,
    setTimeout: (fire: () => void, ms: number): number => {
      const timer: number = clock.setTimeout(() => {
        programs.delete(timer);
        fire();
      }, ms);
      if (ms === timing.vrlMs) programs.add(timer);
      said();
      return timer;
    },
    clearTimeout: (timer: unknown): void => {
      programs.delete(timer as number);
      clock.clearTimeout(timer);
      said();
    },
  };
}

/** One that is open, shared by all cases that leave it open. */
let shared:
  | { readonly transformer: Transformer; readonly timers: ReturnType<typeof createTimers> }
  | undefined;
function open() {
  if (shared) return shared;
  const timers = createTimers();
  const inner = createTransformer({ timers });
  const transformer: Transformer = {
    check: (source) => inner.check(source),
    run: (...asked) => inner.run(...asked),
    close: () => {
      shared = undefined;
      return inner.close();
    },
  };
  shared = { transformer, timers };
  return shared;
}
afterAll(() => shared?.transformer.close());

function createWorld(): TransformWorld {
  const { transformer, timers } = open();
  const { heard, until, isRunning, clock } = timers;
  return {
    ...{ transformer, sources, heard, until },
    running: () => until(isRunning),
    passTime: () => clock.advance(timing.vrlMs),
    dispose: () => Promise.resolve(),
  };
}
registered('the transformer with a thread of its own', transformContract({ createWorld }));
