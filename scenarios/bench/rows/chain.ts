export interface Weight {
  /** Heap per call while it is in flight. */
  readonly heldBytes: number;
  /** Heap per call after all of them were answered. */
  readonly leftBytes: number;
}
/** What many calls in a row leave behind. */
export interface Endurance {
  readonly calls: number;
  /** Heap after them without what it was before them, each after a collection. */
  readonly grownBytes: number;
}

/** What is measured: something that answers calls. All but the MCP server runs in the measuring process. */
export interface Chain {
  /** Sends `textOf(n)` through the chain to an echo tool; resolves with the text that came back. */
  call(n: number): Promise<string>;
  close(): Promise<void>;
  /** CPU used so far by what is measured, when that is another process. */
  cpuUs?(): Promise<number>;
  /** Heap per call in flight, where that can be told from everything else. */
  weigh?(): Promise<Weight>;
  /** So many calls, one after another, and what the heap has grown by; rejects, and leaves nothing, once it is aborted. */
  endure?(calls: number, signal?: AbortSignal): Promise<Endurance>;
  /** Bytes of heap that its answer takes for as long as it is kept. */
  keep?(): Promise<number>;
  /** Brings so many servers up, of which one never answers if that is wanted; resolves when all others serve. */
  stand?(servers: number, isOneMute: boolean): Promise<{ close(): Promise<void> }>;
  /** Children that must not outlive the benchmark, whatever happens. */
  readonly pids: readonly number[];
}

/** Chains of one group do the same work; its first is the one that the others are compared with. */
export interface Contender {
  readonly group:
    | 'full chain'
    | 'relay alone'
    | 'computer alone'
    | 'directory alone'
    | 'recorder alone'
    | 'recorder of calls'
    | 'watched'
    | 'calls'
    | 'listing'
    | 'simulation'
    | 'lifecycle'
    | 'memory'
    | 'organise desktop'
    | 'organise finder'
    | 'warm finder'
    | 'first collection'
    | 'documents: list'
    | 'documents: page'
    | 'documents: search';
  readonly name: string;
  /** Numbers of calls in flight; 1, 64 and 256 when not given. */
  readonly inFlight?: readonly number[];
  open(): Promise<Chain>;
}

/** About a hundred bytes, different for each call, so that an answer to another call is noticed. */
export const textOf = (n: number): string => `call ${n} `.padEnd(100, '.');

/** The text of an echo result; anything else ends the benchmark, because an error is fast. */
export function echoed(result: unknown): string {
  const { content } = result as { content?: readonly { readonly text?: string }[] };
  const text = content?.[0]?.text;
  if (text === undefined) throw new Error(`no echo: ${JSON.stringify(result)?.slice(0, 200)}`);
  return text;
}
