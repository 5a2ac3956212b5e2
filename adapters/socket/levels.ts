import { Decoder } from 'socket.io-parser';
import type { Failure } from '../../machines/protocol/failure.ts';
import { measure, mostLevels } from '../../machines/protocol/json.ts';
import { tooLarge } from '../connections/agent-requests.ts';
import { unread } from '../connections/office-wire.ts';

/** Header of a packet: its type and attachments, its namespace, its id, and the name of the event unless it is an answer. */
const knownHead =
  /^(?:[25](?:\d{1,9}-)?(?:\/[^,]{0,200},)?\d{0,20}\["[^"\\]{0,100}",|[36](?:\d{1,9}-)?(?:\/[^,]{0,200},)?\d{1,20}\[)/;
const headChars = 400;
/** Number of bytes, and of lists, objects and members, that take an office as long as one small event. */
const bytesPerEvent = 16_384;
const valuesPerEvent = 50;

/** Levels of a packet: the arguments of an event are one, and the answer of a peer another. */
const mostOfPacket = mostLevels + 2;

/** A packet that is too heavy or too deep is not parsed, which would take seconds and hundreds of MB. */
export class LevelDecoder extends Decoder {
  charge: (weight: number) => Failure | undefined = () => undefined;

  override add(packet: unknown): void {
    // An attachment is only counted, because its packet was taken already.
    if (typeof packet !== 'string') this.#charged((packet as Uint8Array).byteLength, 0);
    if (typeof packet !== 'string' || packet.length <= mostLevels) return super.add(packet);
    const { values, isTooDeep } = measure(packet, mostOfPacket);
    const failure = this.#charged(packet.length, values) ?? (isTooDeep ? tooLarge(Infinity, 0) : undefined);
    if (!failure) return super.add(packet);
    const head = knownHead.exec(packet.slice(0, headChars))?.[0];
    if (head === undefined) throw new Error(failure.message);
    super.add(`${head}${JSON.stringify(unread(failure))}]`);
  }
  #charged(bytes: number, values: number): Failure | undefined {
    const weight = Math.floor(bytes / bytesPerEvent + values / valuesPerEvent);
    return weight > 0 ? this.charge(weight) : undefined;
  }
}
