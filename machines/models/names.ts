import { fnv, fnvBasis } from '../kernel/fnv.ts';
import type { ModelTool } from './format.ts';

/** Valid with OpenAI, Anthropic and Gemini alike, so that a conversation may change its provider. */
export const validName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const longest = 64;

const serverOf = ({ server }: ModelTool): string | undefined =>
  typeof server === 'string' ? server : server?.name;

/** What a tool is, whatever it is called: where it lives, and its own name there. */
export const keyOf = (tool: ModelTool): string => {
  const server = serverOf(tool);
  return JSON.stringify([tool.computer ?? null, server ?? null, (server && tool.original) || tool.name]);
};

const digits = (text: string): string => (fnv(fnvBasis, text) >>> 0).toString(16).padStart(8, '0');
/** Any text as a name; one that is too long ends with a digest of all of it, so that it stays the same for good. */
function valid(text: string): string {
  const clean = text.replaceAll(/[^A-Za-z0-9_-]/g, '_').replace(/^(?![A-Za-z_])/, '_');
  if (clean.length <= longest) return clean;
  return `${clean.slice(0, longest - 9)}_${digits(text)}`;
}

interface Candidate {
  readonly name: string;
  /** What tells it from others of its name: a server, a computer; '' for its own name. */
  readonly by: string;
}
/** From the plainest name on; the last one has a digest of all that the tool is. */
function candidatesOf(tool: ModelTool): Candidate[] {
  const { name, computer } = tool;
  const server = serverOf(tool);
  const by = [server, computer, computer && server && `${computer}_${server}`].filter(Boolean) as string[];
  return [
    { name: valid(name), by: '' },
    ...by.map((label) => ({ name: valid(`${label}_${name}`), by: label })),
    { name: `${valid(name).slice(0, longest - 9)}_${digits(keyOf(tool))}`, by: by.at(-1) ?? '' },
  ];
}

/** Under which label a tool bears this name; '' when it is its own. */
export const labelIn = (name: string, tool: ModelTool): string =>
  candidatesOf(tool).find((one) => one.name === name)?.by ?? '';

/**
 * Names for tools that have none yet, none of which is `taken`. Where several want one, none of them gets it, and all
 * try the next: so it does not matter in which order they stand (DeepChat's rule, `server_tool`).
 */
export function named(
  tools: ReadonlyMap<string, ModelTool>,
  taken: ReadonlySet<string>,
): Map<string, string> {
  const found = new Map<string, string>();
  const used = new Set(taken);
  const rest = new Map([...tools].map(([key, tool]) => [key, candidatesOf(tool)]));
  for (let level = 0; rest.size > 0; level += 1) {
    const wanted = new Map<string, string[]>();
    for (const [key, candidates] of [...rest].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const name = candidates[level]?.name ?? numbered(candidates, level);
      wanted.set(name, [...(wanted.get(name) ?? []), key]);
    }
    for (const [name, keys] of wanted) {
      const [key] = keys;
      const isLast = level >= 4;
      if (key === undefined || used.has(name) || (keys.length > 1 && !isLast)) continue;
      found.set(key, name);
      used.add(name);
      rest.delete(key);
    }
  }
  return found;
}
/** Two digests of 32 bits may agree: then by number, in the order of what the tools are. */
const numbered = (candidates: readonly Candidate[], level: number): string => {
  const end = `_${level}`;
  return (candidates.at(-1)?.name ?? '').slice(0, longest - end.length) + end;
};
