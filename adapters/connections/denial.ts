import type { LinkFact } from '../../machines/kernel/ports.ts';
import { noOffice } from '../../machines/office/rooms/loopback.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';
import { PROTOCOL_VERSION, spoken } from '../../machines/protocol/protocol.ts';

type Refused = Extract<LinkFact, { readonly type: 'link.refused' }>;
export type Refusal = Omit<Refused, 'type'>;

/** Largest number of characters kept of a text from an office. */
const mostText = 400;

const objectIn = (body: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
};

/** Reads the refusal of a connection: the HTTP status and the body, which is JSON from our offices and those in Python. */
export function readDenial(status: number, body: string, address: string): Refusal {
  const { code, message, server_version: server } = objectIn(body);
  const text = typeof message === 'string' ? message.slice(0, mostText) : undefined;
  if (code === wireCodes.versionMismatch) {
    const version = typeof server === 'string' ? server.slice(0, 20) : undefined;
    const ours = `we speak ${PROTOCOL_VERSION}, and enter offices of 0.${spoken.minors[0]} to 0.${spoken.minors[1]}`;
    return {
      reason: `${text ?? 'Protocol version mismatch'}: it speaks ${version ?? 'another one'}; ${ours}`,
      refusal: 'version',
      ...(version !== undefined && { version }),
    };
  }
  if (status === 401) return { reason: text ?? 'HTTP 401', refusal: 'credential' };
  const isPage = status < 500 && /^\s*<(?:!doctype|html)\b/i.test(body);
  if (text === undefined && (isPage || status === 404))
    return { reason: `${noOffice} ${address}: ${isPage ? 'a web page answers there, ' : ''}HTTP ${status}` };
  return { reason: text === undefined ? `HTTP ${status}` : `${text} (HTTP ${status})` };
}
