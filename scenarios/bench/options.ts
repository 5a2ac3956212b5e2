import { parseArgs } from 'node:util';
import type { Plan } from './measure.ts';

export const help = `Measures agent, office and computer against hand-written ones, in turns, in one process.
What runs is compiled first, as it is published: tsx would add a call to every function that is made.

  npm run bench -- [options]

  --seconds <n>   how long the measuring may take (default 150)
  --rounds <n>    rounds, of which the median counts (default 7, at least 5)
  --quick         30 seconds, 5 rounds
  --only <text>   only groups or chains whose name contains the text; their yardsticks always run
  --json          one JSON document on stdout instead of the tables
  --help

CPU is that of the process that holds agent, office and computer, without the MCP server; of a relay alone, that
of the office's own process, without its peers. A call of "lifecycle" is the whole life of 50 servers inside the host,
from their start to their end; one of "memory" goes to one of 50 that stand. A call of "organise" puts 10,000 windows or
100,000 documents in order, its yardstick sorts the same arrays and does nothing else; one of "warm finder" asks a
computer for a page of 10,000 documents of 50 servers that were read before, and fails when a server is asked. One of
"calls" goes to a server inside the host: through the SDK's client alone, and through a computer; what many in a row
leave in the heap is measured in processes of their own, after the time that --seconds gives. One of "listing" lists
5,000 tools of 100 servers. One of "first collection" reads 4,000 windows: of one server, or of two, one after the other. "documents" is the
documents server: 10,000 files listed beside readdir and lstat, with the heap that the list takes; the first page of a PDF of
500 pages beside pdf.js alone; a word searched in 10,000 files that were read before, beside all their texts gone through in
memory. Compare the ratios
(×, to the first chain of a group): absolute figures of a shared machine mean little, and latency with one call
in flight is noise of ±40 %.
`;

export const readOptions = () =>
  parseArgs({
    options: {
      seconds: { type: 'string', default: '150' },
      rounds: { type: 'string', default: '7' },
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }).values;
export type Options = ReturnType<typeof readOptions>;

// Opening, warm-up, draining and closing share what the slices leave.
const share = 0.8;

/** `limiters`: how many slices one round has. */
export function planOf(
  options: Options,
  limiters: number,
): Plan & { readonly seconds: number; readonly inARow: number } {
  const seconds = options.quick ? 30 : Number(options.seconds);
  const rounds = options.quick ? 5 : Math.max(5, Number(options.rounds));
  if (!(seconds > 0) || !Number.isInteger(rounds)) throw new Error('--seconds and --rounds take numbers');
  const inARow = options.quick ? 10_000 : 100_000;
  return {
    rounds,
    seconds,
    inARow,
    sliceMs: Math.min(1_000, (seconds * share * 1_000) / (limiters * (rounds + 0.5))),
  };
}
