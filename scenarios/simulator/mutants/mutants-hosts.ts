import { assign } from 'xstate';
import type { ServersSet } from '../../../machines/computer/computer.events.ts';
import { reconciled } from '../../../machines/computer/computer.rules.ts';
import { step } from '../../../machines/computer/computer.setup.ts';
import { Harness } from '../../stage/harness.ts';
import { switchedOff } from './mutant-runs.ts';
import { chart, nothing, parts, replaced, type Mutant } from './mutant.ts';

const list = ['https://one/', 'https://two/'];
/** Beside each computer a server waits for a registry, and no registry answers. */
const silent = replaced(
  Harness.prototype,
  'start',
  (old) =>
    function (this: Harness, kind, input, cast) {
      old.call(this, kind, input, cast);
      if (kind !== 'computer' || this.state('registry') !== undefined) return;
      old.call(this, 'registry', { limitMs: 3_000, keepMs: 60_000, retryMs: 1_000, known: null });
      this.order('registry', { type: 'registry.want', ticket: 'r', list });
    },
);

/** Beside each computer two settings are changed at once, in a file that is slow. */
const changing = replaced(
  Harness.prototype,
  'start',
  (old) =>
    function (this: Harness, kind, input, cast) {
      old.call(this, kind, input, cast);
      if (kind !== 'computer' || this.state('settings') !== undefined) return;
      old.call(this, 'settings', { file: 'a2c.json' });
      for (const ticket of ['one', 'two'])
        this.order('settings', { type: 'settings.change', ticket, edits: [{ path: [ticket], value: 1 }] });
    },
);

/** What a host keeps beside its servers: which registry children use, and its config file. */
export const mutantsOfHosts: readonly Mutant[] = [
  {
    what: 'a registry that is waited for as long as it likes',
    invariant: 'no start waits for a registry beyond its limit',
    environment: silent,
    ...chart('registry', [['states', 'probing', 'after'], nothing]),
  },
  {
    what: 'a config file whose changes are forgotten with the first',
    invariant: 'no write is lost',
    environment: changing,
    ...parts('settings', { actions: { forgetFirst: assign(() => ({ orders: [] })) } }),
  },
  {
    what: 'a switch that closes nobody',
    invariant: 'a server that is switched off has no process',
    runs: switchedOff,
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
