/** What a server declared at the handshake. What it did not declare is never asked for. */
export interface Capabilities {
  /** Null: it has none. `listChanged`: it tells when they change. */
  readonly tools: { readonly listChanged: boolean } | null;
  /** Null: it has none. `subscribe`: it tells when one that is subscribed changes. */
  readonly resources: { readonly listChanged: boolean; readonly subscribe: boolean } | null;
  /** Null: it has none. */
  readonly prompts: { readonly listChanged: boolean } | null;
  /** It completes arguments of prompts and templates. */
  readonly completions: boolean;
  /** Its log level can be set. */
  readonly logging: boolean;
}
/** What a server said at the handshake. */
export interface ServerInfo {
  /** As it calls itself. */
  readonly name: string;
  /** Its own version, in any form. */
  readonly version: string;
  /** The revision of MCP on which both agreed, such as `2025-06-18`. */
  readonly protocolVersion: string;
  /** What it declared; nothing else is asked for. */
  readonly capabilities: Capabilities;
  /** What it says of itself for a screen; absent where it says nothing. */
  readonly shown?: { readonly icons?: string; readonly descriptions?: string };
}
