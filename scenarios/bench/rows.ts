import type { Row } from './row.ts';

/** In the order of the table; the code of a row is loaded in its own process only. */
export const rows: readonly Row[] = [
  {
    name: 'calls',
    about:
      'a call to a server inside the host, through a computer and through the bare SDK client, at 1, 64 and 1,000 in flight',
    measure: async (...given) => (await import('./rows/calls.ts')).measureCalls(...given),
  },
  {
    name: 'recorder',
    about: 'such a call with recording and without, at 64 in flight',
    measure: async (...given) => (await import('./rows/calls.ts')).measureRecorder(...given),
  },
  {
    name: 'first',
    about:
      'the first call of a process, and its first 1,000, by a computer and by the SDK client; as published, in dist',
    measure: async (...given) => (await import('./rows/first.ts')).measureFirst(...given),
  },
  {
    name: 'alloc',
    about: 'what such a call allocates',
    flags: ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256'],
    measure: async (...given) => (await import('./rows/calls.ts')).measureAlloc(...given),
  },
  {
    name: 'start',
    about: 'start of 50 servers inside the host, by a computer and by hand; 49 beside one that never answers',
    measure: async (...given) => (await import('./rows/start.ts')).measureStart(...given),
  },
  {
    name: 'chain',
    about: 'agent, office, computer and a server over stdio, and the same written by hand',
    measure: async (...given) => (await import('./rows/chain.ts')).measureChain(...given),
  },
  {
    name: 'serve',
    about: '`a2c serve` before one server over stdio, and the least relay by hand over the SDK; Linux',
    measure: async (...given) => (await import('./rows/serve.ts')).measureServe(...given),
  },
  {
    name: 'relay',
    about: 'the process of an office with all limits on, and a bare relay, at 1, 64 and 256 in flight',
    measure: async (...given) => (await import('./rows/relay.ts')).measureRelay(...given),
  },
  {
    name: 'seats',
    about: '5,000 peers in offices of a hundred, at an office and at a bare relay; also all at once',
    measure: async (...given) => (await import('./rows/seats.ts')).measureSeats(...given),
  },
  {
    name: 'nodes',
    about: 'a call to a computer at another node, and a file of 256 MB up through a node; needs redis-server',
    measure: async (...given) => (await import('./rows/nodes.ts')).measureNodes(...given),
  },
  {
    name: 'grow',
    about:
      'a call beside 1,000 servers, 10,000 tools and 1,000 seats, and in messages of 5 MB, and beside few',
    measure: async (...given) => (await import('./rows/grow.ts')).measureGrow(...given),
  },
  {
    name: 'watched',
    about: 'a call that leaves 17 records, while a page looks on and without one',
    measure: async (...given) => (await import('./rows/watched.ts')).measureWatched(...given),
  },
  {
    name: 'looked',
    about: 'how long a host of 50 servers with 200 tools each, two of them crashing, is blocked by a page',
    measure: async (...given) => (await import('./rows/watched.ts')).measureLooked(...given),
  },
  {
    name: 'heap',
    about: 'what 100,000 calls leave in the heap',
    measure: async (...given) => (await import('./rows/calls.ts')).measureHeap(...given),
  },
  {
    name: 'idle',
    about: 'heap of a server inside the host that nobody calls',
    measure: async (...given) => (await import('./rows/start.ts')).measureIdle(...given),
  },
];
