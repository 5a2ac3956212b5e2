import { sha256OfBytes } from '../../adapters/index.ts';
import {
  bundleNameOf,
  bundlePartsOf,
  type BundlePart,
  type ServerConfig,
} from '../../machines/config/index.ts';

const sized = (count: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(count);
  return bytes;
};
const text = (value: string): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([sized(bytes.length), bytes]);
};
/** Each with its length or count before it, so that no two configs look the same. */
function written(part: BundlePart): Buffer {
  if (typeof part === 'string') return text(part);
  if (Array.isArray(part)) return Buffer.concat([sized(part.length), ...part.map(text)]);
  const pairs = Object.entries(part as Readonly<Record<string, string>>).map(
    ([key, value]) => [Buffer.from(key), Buffer.concat([text(key), text(value)])] as const,
  );
  const sorted = pairs.toSorted(([a], [b]) => Buffer.compare(a, b));
  return Buffer.concat([sized(sorted.length), ...sorted.map(([, pair]) => pair)]);
}

/** The `bundle_id` of a server: its tools and its config carry it. */
export const bundleIdOf = (server: ServerConfig): string =>
  bundleNameOf(server) ??
  `bundle_${sha256OfBytes(Buffer.concat(bundlePartsOf(server).map(written))).slice(0, 16)}`;
