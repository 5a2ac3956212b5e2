/** What a value of the meta of a tool may be: what is deeper is written as JSON text. */
export type MetaValue = string | number | boolean | readonly (string | number | boolean)[];
/** A tool as `client:get_tools` shows it (§3.5). */
export interface SmcpTool {
  /** What `client:tool_call` takes; unique in its computer. */
  readonly name: string;
  /** The server that has it, in the words of 0.3 and later: letters, digits, `_` and `-`. */
  readonly bundle_id?: string;
  /** For models; `None` where the server says nothing. */
  readonly description: string;
  /** JSON Schema of its parameters, as its server has it. */
  readonly params_schema: object;
  /** JSON Schema of `structuredContent` in its results; null: it promises none. */
  readonly return_schema: object | null;
  /** What its config and its server say of it, such as `a2c_tool_meta` and `MCP_TOOL_ANNOTATION`. */
  readonly meta: Readonly<Record<string, MetaValue>>;
}
