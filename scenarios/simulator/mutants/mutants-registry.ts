import { Harness } from '../../stage/harness.ts';
import { chart, nothing, replaced, type Mutant } from './mutant.ts';

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

/** Which registry children use. */
export const mutantsOfRegistry: readonly Mutant[] = [
  {
    what: 'a registry that is waited for as long as it likes',
    invariant: 'no start waits for a registry beyond its limit',
    environment: silent,
    ...chart('registry', [['states', 'probing', 'after'], nothing]),
  },
];
