export interface ProtocolBase {
  readonly name: string;
  /** What peers of 0.3 and later know it by; written where the config says it, and always where agents ask. */
  readonly bundle_id?: string;
  readonly disabled: boolean;
  readonly forbidden_tools: readonly string[];
  readonly tool_meta: Readonly<Record<string, object>>;
  readonly default_tool_meta: object | null;
  readonly vrl: string | null;
}
type Texts = Readonly<Record<string, string>>;
/** The type of a kind that the host brings. */
export type OwnType = `own:${string}`;
/** What such a server is reached with: between the host and whoever writes its config. */
export type OwnFacts = Readonly<
  Record<string, string | number | boolean | readonly string[] | Readonly<Record<string, string>>>
>;
/** One server as A2C-SMCP writes it, with every key (a2c-wire §1.9). `inmemory` and `own:…` are ours. */
export type ProtocolServer = ProtocolBase &
  (
    | {
        readonly type: 'stdio';
        readonly server_parameters: {
          readonly command: string;
          readonly args: readonly string[];
          readonly env: Texts | null;
          readonly cwd: string | null;
          readonly encoding: string;
          readonly encoding_error_handler: 'strict' | 'ignore' | 'replace';
        };
      }
    | {
        readonly type: 'sse';
        /** Seconds. */
        readonly server_parameters: {
          readonly url: string;
          readonly headers: Texts | null;
          readonly timeout: number;
          readonly sse_read_timeout: number;
        };
      }
    | {
        readonly type: 'streamable';
        /** ISO-8601 durations. */
        readonly server_parameters: {
          readonly url: string;
          readonly headers: Texts | null;
          readonly timeout: string;
          readonly sse_read_timeout: string;
          readonly terminate_on_close: boolean;
        };
      }
    | {
        readonly type: 'inmemory';
        readonly server_parameters: { readonly args: readonly string[]; readonly env: Texts | null };
      }
    | { readonly type: OwnType; readonly server_parameters: OwnFacts }
  );
