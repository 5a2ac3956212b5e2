import type { Ports } from '../../../../machines/kernel/ports.ts';
import { eventOf, type TransformRequest } from '../../../../machines/call/transform.ts';
import { ScriptedTransformer, type ScriptedProgram } from '../../scripted/transformer.ts';
import type { VirtualClock } from '../../virtual-clock.ts';
import { timingOf, type Plan, type ProgramData } from '../plan.ts';

const programs: Readonly<Record<ProgramData, ScriptedProgram>> = {
  works: { makes: (event) => ({ ...event, program: 'works' }) },
  fails: { fails: 'the program gave up' },
  hangs: { takesMs: 'forever' },
};

/** Which servers of a plan have a program, and who runs them all, one after the other. */
export function programsOf(
  plan: Plan,
  clock: VirtualClock,
): { hasProgram: (server: string) => boolean; transform: Ports['request'] } {
  const transformer = new ScriptedTransformer(clock, programs, { vrlMs: timingOf(plan).vrlMs });
  const programOf = (server: string): ProgramData | undefined =>
    plan.servers.find(({ name }) => name === server)?.program;
  return {
    hasProgram: (server) => programOf(server) !== undefined,
    transform: (_from, { id, params }, emit) => {
      const { server, ...call } = params as TransformRequest;
      return transformer.run(programOf(server) ?? '', eventOf(call), (answer) =>
        emit(
          answer.ok
            ? { type: 'ask.answered', id, result: { json: answer.json } }
            : { type: 'ask.refused', id, sent: true, failure: answer.failure },
        ),
      );
    },
  };
}
