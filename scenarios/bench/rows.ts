import type { Row } from './row.ts';

/** Rows in the order of the table; the code of a row is loaded in its own process only. */
export const rows: readonly Row[] = [
  {
    name: 'calls',
    about:
      'a call to a server inside the host, through a computer and through the bare SDK client, at 1, 64 and 1,000 in flight',
    measure: async (...given) => (await import('./rows/calls/calls.ts')).measureCalls(...given),
  },
  {
    name: 'reading',
    about: 'how many files and named functions one call of an agent runs, in agent, office and computer',
    measure: async (...given) => (await import('./rows/reading.ts')).measureReading(...given),
  },
  {
    name: 'alloc',
    about: 'what such a call allocates',
    flags: ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256'],
    measure: async (...given) => (await import('./rows/calls/calls.ts')).measureAlloc(...given),
  },
  {
    name: 'cold',
    about: 'the first call and the first 1,000 of a process, each in a new one',
    measure: async (...given) => (await import('./rows/calls/cold.ts')).measureCold(...given),
  },
  {
    name: 'import',
    about:
      'import of the package, and of others that connect to MCP servers, each beside the bare SDK client',
    needs: 'npm',
    measure: async (...given) => (await import('./rows/import.ts')).measureImport(...given),
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
    name: 'python',
    about: 'the same chain beside that of the Python SDK',
    needs: 'PyPI',
    measure: async (...given) => (await import('./rows/chain.ts')).measurePython(...given),
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
    name: 'blobs',
    about:
      'a file of 256 MB down and up through an office of two nodes, and through a bare loop of parts; needs redis-server',
    measure: async (...given) => (await import('./rows/blobs.ts')).measureBlobs(...given),
  },
  {
    name: 'recorder',
    about: 'what a call tells the flight recorder',
    measure: async (...given) => (await import('./rows/recording.ts')).measureRecorder(...given),
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
    name: 'records',
    about: 'a trace of 200,000 records in Chromium',
    measure: async (...given) => (await import('./rows/watched.ts')).measureRecords(...given),
  },
  {
    name: 'servers',
    about: 'a call in a computer with 1, 50 and 500 servers',
    measure: async (...given) => (await import('./rows/calls/grown.ts')).measureServers(...given),
  },
  {
    name: 'results',
    about: 'a call with a result of 1 KB, 100 KB, 1 MB and 8 MB',
    measure: async (...given) => (await import('./rows/calls/grown.ts')).measureResults(...given),
  },
  {
    name: 'tools',
    about: 'a call to one of 10,000 tools of a server, and the first call of each of them',
    measure: async (...given) => (await import('./rows/calls/grown.ts')).measureTools(...given),
  },
  {
    name: 'heap',
    about: 'what 100,000 calls leave in the heap',
    measure: async (...given) => (await import('./rows/calls/calls.ts')).measureHeap(...given),
  },
  {
    name: 'idle',
    about: 'heap of a server inside the host that nobody calls',
    measure: async (...given) => (await import('./rows/start.ts')).measureIdle(...given),
  },
];
