import { wireCodes } from '../../protocol/failure.ts';
import { isSpoken, PROTOCOL_VERSION, spoken } from '../../protocol/protocol.ts';

/** What a connection is told instead of being opened: an HTTP answer. */
export interface Denial {
  readonly status: 400;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

const denial = (body: object, headers: Readonly<Record<string, string>> = {}): Denial => ({
  status: 400,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/**
 * Whether a connection with this `a2c_version` may be opened (a2c-wire §2.3). Peers of 0.1 send none. Below 1.0 another
 * minor is another protocol; we speak several.
 */
export function denies(version: string | undefined, isRequired: boolean): Denial | undefined {
  if (version === undefined)
    return isRequired
      ? denial({ code: wireCodes.badRequest, message: 'Missing a2c_version query parameter' })
      : undefined;
  const known = isSpoken(version);
  if (known === 'unreadable')
    return denial({ code: wireCodes.badRequest, message: `Invalid a2c_version: ${version.slice(0, 80)}` });
  if (known) return undefined;
  return denial(
    {
      code: wireCodes.versionMismatch,
      message: 'Protocol version mismatch',
      server_version: PROTOCOL_VERSION,
      client_version: version,
      min_supported: `0.${spoken.minors[0]}.0`,
      max_supported: `0.${spoken.minors[1]}.999`,
    },
    { 'X-A2C-Error-Code': String(wireCodes.versionMismatch) },
  );
}
