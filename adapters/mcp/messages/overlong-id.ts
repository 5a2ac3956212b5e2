/**
 * Returns the id of a JSON-RPC response of which only the first and the last bytes were kept; undefined for a
 * request or notification, and when the id lies in the missing part.
 */
export function responseIdOf(head: string, tail: string): number | string | undefined {
  const members = leadingMembers(head);
  if (members.has('method')) return undefined;
  const first = members.get('id');
  const id = valueOf(first ?? (trailingMethod.test(tail) ? undefined : trailingId.exec(tail)?.[1]));
  return typeof id === 'number' || typeof id === 'string' ? id : undefined;
}

/** Returns the id of a JSON-RPC message as the JSON text of a number or string; undefined when there is none. */
export const idLiteralOf = (text: string): string | undefined => leadingMembers(text).get('id');

/** Parses a JSON literal; undefined when it is invalid, because the line need not be JSON at all. */
function valueOf(literal: string | undefined): unknown {
  try {
    return literal === undefined ? undefined : JSON.parse(literal);
  } catch {
    return undefined;
  }
}

const text = String.raw`"(?:[^"\\]|\\.)*"`;
const scalar = String.raw`${text}|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null`;
const nextKey = new RegExp(String.raw`\s*[{,]\s*(${text})\s*:\s*`, 'y');
const nextScalar = new RegExp(String.raw`(?:${scalar})(?=\s*[,}])`, 'y');
/**
 * Matches a member of the outermost object at the end of a text: only scalar members follow, then the last
 * brace. A quote inside a string is escaped, so this never matches the content of a string.
 */
const trailing = (name: string): RegExp =>
  new RegExp(String.raw`,\s*"${name}"\s*:\s*(${scalar})\s*(?:,\s*${text}\s*:\s*(?:${scalar})\s*)*\}\s*$`);
const trailingId = trailing('id');
const trailingMethod = trailing('method');

/**
 * Returns the scalar members of the outermost object as JSON literals, up to the first member that does not
 * end within the text.
 */
function leadingMembers(head: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let at = 0;
  for (;;) {
    nextKey.lastIndex = at;
    const key = nextKey.exec(head)?.[1];
    if (key === undefined) return members;
    nextScalar.lastIndex = nextKey.lastIndex;
    const value = nextScalar.exec(head)?.[0];
    if (value !== undefined) members.set(String(valueOf(key)), value);
    const end = value === undefined ? endOfNested(head, nextKey.lastIndex) : nextScalar.lastIndex;
    if (end === undefined) return members;
    at = end;
  }
}

const bracketOrText = new RegExp(String.raw`${text}|["{}[\]]`, 'g');
function endOfNested(head: string, from: number): number | undefined {
  if (head[from] !== '{' && head[from] !== '[') return undefined;
  bracketOrText.lastIndex = from;
  let depth = 0;
  for (let token = bracketOrText.exec(head); token; token = bracketOrText.exec(head)) {
    if (token[0] === '{' || token[0] === '[') depth += 1;
    else if (token[0] === '}' || token[0] === ']') depth -= 1;
    // A quote without its end: the text was cut within a string.
    else if (token[0] === '"') return undefined;
    if (depth === 0) return bracketOrText.lastIndex;
  }
  return undefined;
}
