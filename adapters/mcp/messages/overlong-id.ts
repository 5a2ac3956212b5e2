/**
 * The id of a JSON-RPC response of which only the first and the last bytes were kept; undefined when it is a
 * request or notification, or when the id stands in the part that is lost.
 */
export function responseIdOf(head: string, tail: string): number | string | undefined {
  const members = leadingMembers(head);
  if (members.has('method')) return undefined;
  const first = members.get('id');
  const id = valueOf(first ?? (trailingMethod.test(tail) ? undefined : trailingId.exec(tail)?.[1]));
  return typeof id === 'number' || typeof id === 'string' ? id : undefined;
}

/** The id of a JSON-RPC message as its digits or its text stand there; undefined: it has none. */
export const idLiteralOf = (text: string): string | undefined => leadingMembers(text).get('id');

/** The line need not be JSON at all, so a literal may turn out to be none. */
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
 * Only scalars between the id and the one last brace: so it is a member of the outermost object. A quote inside
 * a string is escaped, so what looks like a member here is one.
 */
const trailing = (name: string): RegExp =>
  new RegExp(String.raw`,\s*"${name}"\s*:\s*(${scalar})\s*(?:,\s*${text}\s*:\s*(?:${scalar})\s*)*\}\s*$`);
const trailingId = trailing('id');
const trailingMethod = trailing('method');

/** Scalar members of the outermost object, as JSON literals, up to the first that does not end within the text. */
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
    // A string that does not end within the text.
    else if (token[0] === '"') return undefined;
    if (depth === 0) return bracketOrText.lastIndex;
  }
  return undefined;
}
