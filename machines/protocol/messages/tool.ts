export type MetaValue = string | number | boolean | readonly (string | number | boolean)[];
/** A tool as `client:get_tools` shows it (§3.5). */
export interface SmcpTool {
  readonly name: string;
  readonly description: string;
  readonly params_schema: object;
  readonly return_schema: object | null;
  readonly meta: Readonly<Record<string, MetaValue>>;
}
