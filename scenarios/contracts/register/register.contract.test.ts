import type { RegisterCallback } from '../../../machines/office/rooms/register.ts';
import { ScriptedRegister } from '../../stage/scripted/network/scripted-register.ts';
import { VirtualClock } from '../../stage/virtual-clock.ts';
import { registered } from '../registered.ts';
import { registerContract } from './register.contract.ts';

const leaseMs = 10_000;
const mostSteps = 10_000;

registered(
  'a scripted register',
  registerContract(() => {
    const clock = new VirtualClock();
    const shared = new ScriptedRegister(clock, leaseMs);
    shared.forget();
    return Promise.resolve({
      open: () => Promise.resolve(shared.open()),
      answer: <T>(ask: (told: RegisterCallback<T>) => void) =>
        new Promise<T | undefined>((resolve) => {
          ask((result) => resolve(result));
          clock.advance(1);
        }),
      until: async (holds) => {
        for (let n = 0; !(await holds()); n += 1) {
          if (n > mostSteps) throw new Error('it never holds');
          clock.advance(10);
        }
      },
      forget: () => Promise.resolve(shared.forget()),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
  }),
);
