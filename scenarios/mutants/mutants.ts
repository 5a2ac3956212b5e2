import { assign } from 'xstate';
import { altered } from '../fixtures/altered.ts';
import { divergence, withImplementations, type Mutant } from './mutant.ts';
import { mutantsOfNotices } from './mutants-notices.ts';
import { mutantsOfRuntime } from './mutants-runtime.ts';

/** No run goes as the one before. */
let judged = 0;
const systems: readonly Mutant[] = [
  {
    what: 'a call that throws over its answer',
    finder: { invariant: 'no machine fails' },
    ...withImplementations('call', {
      actions: {
        rememberResult: assign(() => {
          throw new Error('not today');
        }),
      },
    }),
  },
  {
    what: 'a call with chance in a guard',
    finder: { invariant: divergence },
    ...withImplementations('call', { guards: { isToolError: () => (judged += 1) % 3 === 0 } }),
  },
  {
    what: 'a process that looks at its child again and again, without a pause',
    finder: { invariant: 'nothing is thrown at the host' },
    kinds: altered(
      'process',
      [[['states', 'running', 'after'], () => ({ pause: { target: 'running', reenter: true } })]],
      { delays: { pause: 0 } },
    ),
  },
];

export const mutants: readonly Mutant[] = [...systems, ...mutantsOfNotices, ...mutantsOfRuntime];
