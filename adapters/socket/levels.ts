import { Decoder } from 'socket.io-parser';
import { isTooDeep, mostLevels } from '../../machines/protocol/json.ts';
import { tooDeep } from '../connections/office-wire.ts';

/**
 * Header of a packet with an event or an answer: its type and attachments, its namespace, its id, and the name of the
 * event.
 */
const head = /^[2356](?:\d{1,9}-)?(?:\/[^,]{0,200},)?\d{0,20}\[(?:"[^"\\]{0,100}",)?/;
/** Length of the longest header. */
const headChars = 400;
/** Levels of a packet: the arguments of an event are one, and the answer of a peer another. */
const mostOfPacket = mostLevels + 2;

/**
 * Decoder that does not parse what is nested too deep, because its parts would take hundreds of MB and block the office
 * for seconds; the event or answer comes with `tooDeep` in its place.
 */
export class LevelDecoder extends Decoder {
  override add(packet: unknown): void {
    const isDeep = typeof packet === 'string' && isTooDeep(packet, mostOfPacket);
    const begin = isDeep ? head.exec(packet.slice(0, headChars))?.[0] : undefined;
    super.add(begin === undefined ? packet : `${begin}${JSON.stringify(tooDeep)}]`);
  }
}
