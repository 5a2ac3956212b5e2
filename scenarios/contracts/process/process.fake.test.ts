import type { ProcessFact } from '../../../machines/ports/process.ts';
import { ScriptedServers } from '../../stage/scripted/servers.ts';
import type { Script } from '../../stage/scripted/script.ts';
import { VirtualClock } from '../../stage/virtual-clock.ts';
import { processContract } from './process.contract.ts';
import type { ChildBehaviour, ProcessWorld } from './process.harness.ts';
import { registered } from '../registered.ts';

const missing = 'no-such-command';
const scripts: Readonly<Record<ChildBehaviour, Script>> = {
  good: {},
  ignoresStdin: { ignores: ['stdin'] },
  stubborn: { ignores: ['stdin', 'SIGTERM'] },
  crashes: { crashes: { code: 7, stderr: 'boom\n', afterMs: 1 } },
  missing: { missing: true },
  wrapped: { ignores: ['stdin'], leaves: { count: 1, stubborn: true } },
  leavesGrandchild: { leaves: { count: 1 } },
};

function createScriptedWorld(): ProcessWorld {
  const clock = new VirtualClock();
  const servers = new ScriptedServers(clock, { ...scripts, [missing]: scripts.missing });
  const until = (holds: () => boolean): Promise<void> => {
    while (!holds() && clock.step());
    return holds() ? Promise.resolve() : Promise.reject(new Error('nothing is left to happen'));
  };
  let count = 0;
  return {
    open: (behaviour, emit) => {
      const key = `process:${(count += 1)}`;
      const facts: ProcessFact[] = [];
      const server = behaviour === 'missing' ? missing : behaviour;
      const instance = servers.process(key, { server, generation: 1, spec: 1, key }, (fact) => {
        facts.push(fact);
        emit(fact);
      });
      return { ...instance, ready: () => until(() => facts.length > 0) };
    },
    until,
    settled: async () => {
      while (clock.step());
    },
    alive: () => servers.groups,
    dispose: async () => {},
  };
}

registered('process port: scripted children', processContract({ createWorld: createScriptedWorld }));
