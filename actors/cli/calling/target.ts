import { isArgument } from './arguments.ts';

/** Which tool is meant, and of which server where that was said. */
export interface Target {
  readonly server?: string;
  readonly tool: string;
}

/**
 * `TOOL`, `SERVER.TOOL` and `SERVER TOOL`, and the words behind it. A server is one of `servers`, the names in the
 * config; of a remote computer nobody knows them, and every name is that of a tool.
 */
export function targetIn(
  words: readonly string[],
  servers: readonly string[],
): { readonly target: Target; readonly rest: readonly string[] } {
  const [first = '', second, ...more] = words;
  if (second !== undefined && servers.includes(first) && !isArgument(second))
    return { target: { server: first, tool: second }, rest: more };
  const rest = words.slice(1);
  // The longest: a server may be called like another with a dot behind.
  const owner = servers
    .filter((name) => first.startsWith(`${name}.`) && first.length > name.length + 1)
    .toSorted((a, b) => b.length - a.length)[0];
  if (owner === undefined) return { target: { tool: first }, rest };
  return { target: { server: owner, tool: first.slice(owner.length + 1) }, rest };
}
