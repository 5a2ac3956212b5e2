/** Tool as MCP lists it. */
interface Described {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object' };
  readonly outputSchema?: Readonly<Record<string, unknown>>;
}
export interface OwnTools {
  list(): Described[];
  has(name: string): boolean;
  readonly revision: number;
}
export function createTools(server: string, configured: Readonly<Record<string, unknown>>): OwnTools;

type Change = (fault: Readonly<Record<string, string | number | boolean | undefined>>) => void;
/** Creates the faults that change tools, by word. */
export function createChanges(own: {
  readonly tools: OwnTools;
  readonly say: (list: 'tools' | 'resources' | 'prompts') => void;
  readonly after: (ms: number, run: () => void) => void;
  readonly isOver: () => boolean;
}): ReadonlyMap<string, Change>;
