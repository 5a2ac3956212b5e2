/** Content item in the answer to a read. */
export interface Given {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
}
export interface OwnResources {
  list(): string[];
  read(uri: string): Given[] | undefined;
  readonly revision: number;
  subscribe(uri: string): void;
  unsubscribe(uri: string): void;
  isSubscribed(uri: string): boolean;
}
export function createResources(
  server: string,
  configured: readonly string[],
  noted?: (uri: string) => void,
): OwnResources;

type Params = Readonly<Record<string, string | number | boolean | undefined>>;
/** Creates the faults that change resources, by word. */
export function createResourceChanges(own: {
  readonly resources: OwnResources;
  readonly say: (list: 'resources') => void;
  /** Announces a changed resource; `written` replaces its URI in the announcement. */
  readonly update: (uri: string, written?: string) => void;
  /** Announces a resource that is not listed yet; by default with `update`. */
  readonly mention?: (uri: string) => void;
  readonly after: (ms: number, run: () => void) => void;
  readonly isOver: () => boolean;
}): ReadonlyMap<string, (fault: Params) => void>;
/** Changes to the contents of a read, by word. */
export const distortions: Readonly<Record<string, (contents: readonly Given[], fault: Params) => Given[]>>;
export const noResource: number;
