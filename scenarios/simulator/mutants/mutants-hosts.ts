import { assign } from 'xstate';
import type { ServersSet } from '../../../machines/computer/computer.events.ts';
import { reconciled } from '../../../machines/computer/computer.rules.ts';
import { step } from '../../../machines/computer/computer.setup.ts';
import { chart, nothing, parts, type Mutant } from './mutant.ts';

/** What a host keeps beside its servers: which registry children use, and its config file. */
export const mutantsOfHosts: readonly Mutant[] = [
  {
    what: 'a registry that is waited for as long as it likes',
    finder: {
      story:
        'when none answers in time, it is the first of the list, and the probes are aborted (cases 3, 4)',
    },
    ...chart('registry', [['states', 'probing', 'after'], nothing]),
  },
  {
    what: 'a config file whose changes are forgotten with the first',
    finder: { story: 'a write that never ends fails its change in time' },
    ...parts('settings', { actions: { forgetFirst: assign(() => ({ orders: [] })) } }),
  },
  {
    what: 'a switch that closes nobody',
    finder: {
      story:
        'a server that is gone from the config is closed, a new one is started, the others are left alone',
    },
    ...chart('computer', [
      ['on', 'servers.set', 'actions'],
      () =>
        step<ServersSet>((c, event) => {
          const made = reconciled(c, event);
          return { ...made, messages: made.messages.filter((each) => each.event.type !== 'close') };
        }),
    ]),
  },
];
