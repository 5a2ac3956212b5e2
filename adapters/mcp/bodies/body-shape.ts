/** What a body is, by its first bytes: servers and gateways name other types than what they send, two, or none. */
export type Shape = 'json' | 'events' | 'foreign';

const fields = ['data', 'event', 'id', 'retry'];
const longestField = 5;
/** The byte order mark, read as Latin-1. */
const mark = '\u00EF\u00BB\u00BF';
const space = /^[\t\n\r ]+/;

/** By the first characters after white space; undefined: they may still become either. `types`: media types that were named. */
function judge(start: string, types: readonly string[]): Shape | undefined {
  if (start.length < mark.length && mark.startsWith(start)) return undefined;
  if (start.startsWith('{') || start.startsWith('[')) return 'json';
  if (start.startsWith(':')) return 'events';
  const [field = ''] = /^[a-z]*/.exec(start) ?? [];
  if (field === start && fields.some((one) => one.startsWith(field))) return undefined;
  if (fields.includes(field) && /[:\r\n]/.test(start[field.length] ?? '')) return 'events';
  if (types.includes('text/event-stream')) return 'events';
  return types.some((type) => /\bjson\b/.test(type)) ? 'json' : 'foreign';
}

export interface ShapeReader {
  /** Undefined: too little has come to say. */
  readonly is: Shape | undefined;
  /** Gives back what can be read now: undefined while nobody knows, then all that was held. */
  add(chunk: Buffer): Buffer | undefined;
}
export function shapeOf(types: readonly string[]): ShapeReader {
  let is: Shape | undefined;
  let start = '';
  let held: Buffer[] = [];
  return {
    get is() {
      return is;
    },
    add: (chunk) => {
      if (is) return chunk;
      held.push(chunk);
      start += chunk.toString('latin1');
      if (start.startsWith(mark)) start = start.slice(mark.length);
      start = start.replace(space, '').slice(0, mark.length + longestField + 1);
      // White space alone is kept by nobody: there may be any amount of it.
      if (start === '') held = [];
      is = start === '' ? undefined : judge(start, types);
      if (!is) return undefined;
      const whole = Buffer.concat(held);
      held = [];
      return whole;
    },
  };
}
