/** Of JSON. `characters`: of all texts and keys; `depth`: of objects and lists within each other. */
export interface Size {
  readonly nodes: number;
  readonly characters: number;
  readonly depth: number;
}

interface Waiting {
  readonly value: unknown;
  readonly depth: number;
}
const nothing = (): void => undefined;

/**
 * Undefined: larger than `most` in one of the three. Walks with a list of its own, because the value may be deeper than
 * the stack, and stops where it is too large, so that a ring ends, too.
 */
export function sizeOf(
  value: unknown,
  most: Size,
  heardKey: (key: string) => void = nothing,
): Size | undefined {
  let [nodes, characters, depth] = [0, 0, 0];
  const waiting: Waiting[] = [{ value, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    nodes += 1;
    if (typeof next.value === 'string') characters += next.value.length;
    else if (typeof next.value === 'object' && next.value !== null) {
      const inner = next.depth + 1;
      depth = Math.max(depth, inner);
      if (Array.isArray(next.value)) {
        // Before they are listed: a list of a million takes no memory here.
        if (nodes + waiting.length + next.value.length > most.nodes) return undefined;
        for (const part of next.value as readonly unknown[]) waiting.push({ value: part, depth: inner });
      } else
        for (const [key, part] of Object.entries(next.value)) {
          waiting.push({ value: part, depth: inner });
          characters += key.length;
          heardKey(key);
        }
    }
    if (nodes + waiting.length > most.nodes || characters > most.characters || depth > most.depth)
      return undefined;
  }
  return { nodes, characters, depth };
}
