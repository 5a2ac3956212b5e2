import type { Tool } from '../entries.ts';

/** Policy for one tool (a2c-wire §3.1); keys beyond these are kept and passed on. */
export interface ToolMeta {
  /** True: it runs without a question. False: a person is asked. Absent: `auto_approve` decides. */
  readonly auto_apply?: boolean | null | undefined;
  /** The name that agents see in the place of its own. */
  readonly alias?: string | null | undefined;
  /** For people and agents; nothing is decided by them. */
  readonly tags?: readonly string[] | null | undefined;
  /** Passed on to agents as it stands; nothing is done with it here. */
  readonly ret_object_mapper?: Readonly<Record<string, unknown>> | null | undefined;
  readonly [extra: string]: unknown;
}

/** One callable tool: `shown` is the name that agents see and call. */
export interface ToolEntry {
  readonly shown: string;
  readonly server: string;
  /** What peers of 0.3 and later know the server by. */
  readonly bundleId: string;
  readonly tool: Tool;
  readonly meta: ToolMeta | null;
  /** What it would be called, and which servers have a tool that would be called so. */
  readonly renamed?: { readonly from: string; readonly servers: readonly string[] };
}
