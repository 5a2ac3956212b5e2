import { createLines, messageBytes, type Framer, type Line } from '../messages/framing.ts';

const colon = 0x3a;
const space = 0x20;
/** Room in bytes for the field name, such as `data: `, before the text of a line. */
const fieldBytes = 16;

export interface FoundEvents {
  /** Called for one event with data; `type` is `message` when the event names none. */
  event(type: string, data: string, bytes: number): void;
  overlong(head: string, tail: string, bytes: number): void;
  id(id: string): void;
  /** Called with the time in ms that the server wants a client to wait before it resumes the stream. */
  retry(ms: number): void;
}
/** WHATWG HTML §9.2, from chunks of any size; an event that is not finished by an empty line is dropped. */
export function createEventReader(found: FoundEvents, limit: number = messageBytes): Pick<Framer, 'push'> {
  const event = createEvent(found, limit);
  return createLines((line) => event.line(line), limit + fieldBytes);
}

function createEvent(found: FoundEvents, limit: number) {
  let type = '';
  let id: string | undefined;
  let data: string[] = [];
  let bytes = 0;
  let overlong: { head: string; tail: string } | undefined;

  const addData = (value: Buffer): void => {
    // Counts the line end, too, because empty lines without end would never reach the limit.
    bytes += value.length + (data.length > 0 || overlong ? 1 : 0);
    if (overlong) overlong = { ...overlong, tail: value.toString('utf8') };
    else data.push(value.toString('utf8'));
    if (bytes <= limit || overlong) return;
    const text = data.join('\n');
    overlong = { head: text.slice(0, 4_096), tail: text.slice(-4_096) };
    data = [];
  };
  const finish = (): void => {
    const [was, lines, size, long] = [type, data, bytes, overlong];
    type = '';
    data = [];
    bytes = 0;
    overlong = undefined;
    if (id !== undefined) found.id(id);
    id = undefined;
    if (long) found.overlong(long.head, long.tail, size);
    else if (size >= Math.max(1, lines.length)) found.event(was || 'message', lines.join('\n'), size);
  };
  return {
    line: (line: Line): void => {
      if (line.bytes === 0) return finish();
      if (!line.whole) {
        const head = line.ends.head();
        if (!head.startsWith('data:')) return;
        overlong = { head: head.slice(5), tail: line.ends.tail() };
        bytes += line.bytes - 5;
        return;
      }
      const { whole } = line;
      const at = whole.indexOf(colon);
      const end = at < 0 ? whole.length : at;
      const field = whole.toString('utf8', whole[0] === 0xef ? 3 : 0, end);
      const value = whole.subarray(at < 0 ? end : whole[at + 1] === space ? at + 2 : at + 1);
      if (field === 'data') return addData(value);
      const text = value.toString('utf8');
      if (field === 'event') type = text;
      else if (field === 'id' && !text.includes('\0')) id = text;
      else if (field === 'retry' && /^\d{1,9}$/.test(text)) found.retry(Number(text));
    },
  };
}
