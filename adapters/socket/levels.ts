import { Decoder } from 'socket.io-parser';
import { mostLevels } from '../../machines/protocol/json.ts';
import { tooDeep } from '../connections/office-wire.ts';

/** Header of a packet with an event: its type and attachments, its namespace, its id, and the name of the event. */
const eventHead = /^[25](?:\d{1,9}-)?(?:\/[^,]{0,200},)?\d{0,20}\["[^"\\]{0,100}"/;
/** Length of the longest header. */
const headChars = 400;

/** Tells whether a JSON text is nested deeper than is carried. Reads each sign once, whatever the text is. */
export function isTooDeep(text: string): boolean {
  let levels = 0;
  // The arguments of an event are one level, and the answer of a peer another.
  const most = mostLevels + 2;
  for (let at = 0; at < text.length; at += 1)
    switch (text.charCodeAt(at)) {
      case 0x22: // a string, whose brackets do not count
        do at = text.indexOf('"', at + 1);
        while (at > 0 && isEscaped(text, at));
        if (at < 0) return false;
        break;
      case 0x5b:
      case 0x7b:
        if ((levels += 1) > most) return true;
        break;
      case 0x5d:
      case 0x7d:
        levels -= 1;
    }
  return false;
}
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text.charCodeAt(from - 1) === 0x5c) from -= 1;
  return (at - from) % 2 === 1;
}
/**
 * Decoder that does not parse an event that is nested too deep, because its parts would take hundreds of MB; the
 * event comes with `tooDeep` as its payload. Answers are parsed: a peer gave them to somebody who asked.
 */
export class LevelDecoder extends Decoder {
  override add(packet: unknown): void {
    const isDeep = typeof packet === 'string' && packet.length > mostLevels && isTooDeep(packet);
    const head = isDeep ? eventHead.exec(packet.slice(0, headChars))?.[0] : undefined;
    super.add(head === undefined ? packet : `${head},${JSON.stringify(tooDeep)}]`);
  }
}
