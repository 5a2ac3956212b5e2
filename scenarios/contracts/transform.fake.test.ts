import { ScriptedTransformer, type ScriptedProgram } from '../stage/scripted/transformer.ts';
import { VirtualClock } from '../stage/virtual-clock.ts';
import { timing } from '../../machines/kernel/timing.ts';
import { registered } from './registered.ts';
import { transformContract, type Program, type TransformWorld } from './transform.contract.ts';

const sources = { good: 'good', wrong: '.a = 1\n.field =', failing: 'failing', endless: 'endless' };
const programs: Readonly<Record<string, ScriptedProgram>> = {
  [sources.good]: { makes: (event) => ({ ...event, status: 'processed' }) },
  [sources.wrong]: { wrong: 'syntax error', offset: 15 },
  [sources.failing]: { fails: 'no such luck' },
  [sources.endless]: { takesMs: 'forever' },
} satisfies Readonly<Record<string, ScriptedProgram>>;

function createScriptedWorld(): TransformWorld {
  const clock = new VirtualClock();
  const until = async (holds: () => boolean): Promise<void> => {
    for (;;) {
      // An answer to a check is a promise.
      for (let turn = 0; turn < 4 && !holds(); turn += 1) await Promise.resolve();
      if (holds()) return;
      if (!clock.step()) throw new Error('nothing is left to happen');
    }
  };
  return {
    transformer: new ScriptedTransformer(clock, programs),
    sources: sources satisfies Readonly<Record<Program, string>>,
    heard: () => {},
    until,
    running: () => Promise.resolve(),
    passTime: () => clock.advance(timing.vrlMs),
    dispose: () => Promise.resolve(),
  };
}

registered('the scripted transformer', transformContract({ createWorld: createScriptedWorld }));
