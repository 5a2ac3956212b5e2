import type { IncidentFact } from './incidents/incident.ts';
import type { Failure } from './protocol/failure.ts';
import type { Fields } from './protocol/json.ts';

interface FailureFact extends Omit<Failure, 'code'> {
  readonly code: number | string;
}
interface Gathered {
  readonly missing: readonly { readonly server: string; readonly reason: string; readonly uri?: string }[];
}
interface FactTypes {
  readonly server_status: { readonly name: string; readonly state: string; readonly reason?: string };
  readonly office: { readonly url: string; readonly office: string; readonly name: string };
  readonly tool_list_changed: Readonly<Record<'added' | 'removed' | 'changed', readonly string[]>>;
  readonly tool_call_result: {
    readonly req_id: string;
    readonly server: string;
    readonly tool: string;
    readonly outcome: 'succeeded' | 'failed' | 'unknown';
    readonly result?: unknown;
    readonly failure?: FailureFact;
  };
  readonly call_progress: {
    readonly req_id: string;
    readonly server: string;
    readonly tool: string;
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  };
  /** As in `client:get_desktop`: the URI, an empty line, the texts. */
  readonly desktop: Gathered & { readonly desktops: readonly string[] };
  /** As in `client:get_finder`. */
  readonly finder: Gathered & {
    readonly documents: readonly (Fields & Readonly<Record<'doc_ref' | 'uri' | 'server', string>>)[];
    readonly total_count: number;
  };
  readonly resource: {
    readonly uri: string;
    readonly contents: readonly (Fields & { readonly uri: string })[];
  };
  readonly inputs_loaded: { readonly count: number };
  /** Something went wrong: once, when it begins. `a2c status --json` and `why` have all. */
  readonly incident: Pick<
    IncidentFact,
    'kind' | 'subject' | 'message' | 'remedy' | 'since' | 'mayHaveHappened' | 'refused'
  >;
  /** About an event that did not stop anything. */
  readonly notice: { readonly message: string };
  readonly error: FailureFact;
  /** `value` is null when the command has none or printed it in lines of other types. */
  readonly answer: { readonly command: string; readonly value: unknown };
}
/** Lines `@a2c {"type": …}`, never colored or wrapped. Readers must ignore unknown types and keys. */
export type Fact = {
  [Type in keyof FactTypes]: { readonly type: Type } & FactTypes[Type];
}[keyof FactTypes];

export const factLine = (value: Fact): string => `@a2c ${JSON.stringify(value)}`;
