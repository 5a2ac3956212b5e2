import { Decoder, Encoder, PacketType } from 'socket.io-parser';

/**
 * What one node sends to another: text, or bytes where something of it is binary. The codec is that of Socket.IO, so that a value is
 * the same at a peer of this node and at one of another: binary ones stay so. The text stands first; after a line break each binary
 * value with its length.
 */
export type Letter = string | Buffer;

const encoder = new Encoder();
/** A letter is read at once, from its first byte to its last. */
const decoder = new Decoder({ maxAttachments: Number.MAX_SAFE_INTEGER });
let parts: readonly unknown[] | undefined;
decoder.on('decoded', ({ data }) => void (parts = data as readonly unknown[]));
const lineBreak = 0x0a;
const lengthBytes = 4;

/** Throws where it is nested too deep to be written. */
export function written(letter: readonly unknown[]): Letter {
  const [text, ...binaries] = encoder.encode({
    type: PacketType.ACK,
    nsp: '/',
    data: letter as unknown[],
  }) as [string, ...Uint8Array[]];
  // It costs the client of Redis less than bytes.
  if (binaries.length === 0) return text;
  const blocks = [Buffer.from(`${text}\n`)];
  for (const binary of binaries) {
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32BE(binary.byteLength);
    blocks.push(length, Buffer.from(binary));
  }
  return Buffer.concat(blocks);
}
/** Undefined: nobody of us wrote it. */
export function read(letter: Buffer): readonly unknown[] | undefined {
  try {
    // JSON has no line break of its own.
    const found = letter.indexOf(lineBreak);
    const end = found < 0 ? letter.length : found;
    decoder.add(letter.toString('utf8', 0, end));
    for (let at = end + 1; at < letter.length;) {
      const from = at + lengthBytes;
      at = from + letter.readUInt32BE(at);
      decoder.add(letter.subarray(from, at));
    }
    return parts;
  } catch {
    return undefined;
  } finally {
    decoder.destroy();
    parts = undefined;
  }
}
