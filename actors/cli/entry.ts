import type { EntryOptions } from './hosting.ts';
import { randomBytes } from 'node:crypto';
import type { Office, OfficeOptions } from '../api/office-handle.ts';
import type { Runtime } from '../api/runtime.ts';
import type { OfficeSeat } from '../api/seat.ts';
import type { CommandContext } from './context.ts';
import { A2cError, badRequest } from '../kernel/errors.ts';
import { Refusals } from '../logging/refusals.ts';
import { defaultStateDir } from '../../adapters/host-files.ts';
import { keepOfficeToken, keptOfficeToken } from '../../adapters/storage/office-token.ts';
import type { OfficeCredential } from '../../adapters/socket/entry/auth.ts';

interface OfficeEntry extends Pick<OfficeOptions, 'auth'> {
  readonly shown: Pick<OfficeSeat, 'auth'>;
  readonly line: string;
}

const tokenInEnvironment = (): readonly string[] =>
  process.env['A2C_TOKEN'] ? [process.env['A2C_TOKEN']] : [];
export const credentialBy = ({ token }: { readonly token?: string }): Pick<OfficeSeat, 'auth'> => {
  const auth = token ?? tokenInEnvironment()[0];
  return auth === undefined ? {} : { auth };
};
function credentialsBy({ tokens, jwks, audience, issuer }: EntryOptions): readonly OfficeCredential[] {
  if (jwks === undefined && (audience ?? issuer) !== undefined)
    throw badRequest(
      '--audience and --issuer say how tokens are checked, and nothing says by which keys',
      'Give --jwks.',
    );
  if (jwks !== undefined && audience === undefined)
    throw badRequest(
      '--jwks without --audience would let in with tokens that are meant for other services',
      'Give --audience: what your tokens have as aud.',
    );
  return [
    ...(tokens === undefined ? [] : [{ tokensFile: tokens }]),
    ...(jwks === undefined || audience === undefined
      ? []
      : [{ jwks, audience, ...(issuer !== undefined && { issuer }) }]),
  ];
}
/** The token of a killed office on this fixed port is used again, so that its peers can come back. */
export function entryBy(options: EntryOptions, port = 0): OfficeEntry {
  const { token: given = [], open = false } = options;
  const credentials = credentialsBy(options);
  if (open && given.length + credentials.length > 0)
    throw badRequest(
      '--open lets in peers that show no token, and --token, --tokens and --jwks nobody else',
      'Leave out one of them.',
    );
  if (open) return { shown: {}, line: 'open to every program of this machine' };
  const token = given.length > 0 ? given : tokenInEnvironment();
  const left = port === 0 ? undefined : keptOfficeToken(defaultStateDir(), `http://127.0.0.1:${port}`);
  const [first = left ?? randomBytes(24).toString('base64url'), ...others] = token;
  const who = [
    ...(token.length > 0 ? ['who shows its token'] : ['programs of this user']),
    ...(options.tokens === undefined ? [] : [`who shows a token of ${options.tokens}`]),
    ...(options.jwks === undefined ? [] : ['who shows a signed token (JWT)']),
  ];
  const more = token.length > 0 || credentials.length > 0 ? '' : '; --token T or --open lets others in';
  return {
    auth: [first, ...others, ...credentials],
    shown: { auth: first },
    line: `open to ${who.join(', ')}${more}`,
  };
}
function shareToken({ terminal }: CommandContext, { shown }: OfficeEntry, port: number): () => void {
  if (typeof shown.auth !== 'string') return () => {};
  try {
    return keepOfficeToken(defaultStateDir(), port, shown.auth);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    terminal.err(`its token could not be kept for other commands, which need --token now: ${why}`);
    return () => {};
  }
}
/** On a fixed port the token is shared before listening: a peer that comes back at once needs it. */
export async function openShared(
  context: CommandContext,
  entry: OfficeEntry,
  port: number,
  open: () => Promise<Office>,
): Promise<{ readonly office: Office; readonly forget: () => void }> {
  const isFree = port !== 0 && keptOfficeToken(defaultStateDir(), `http://127.0.0.1:${port}`) === undefined;
  const early = isFree ? shareToken(context, entry, port) : undefined;
  const office = await open().catch((error: unknown) => {
    early?.();
    throw error;
  });
  const unshare = early ?? shareToken(context, entry, office.port);
  const refusals = new Refusals((address, text) => context.terminal.err(`not let in: ${address}: ${text}`));
  office.on('peer.refused', (peer) => refusals.heard(peer));
  office.on('auth.failed', ({ message }) => context.terminal.err(message));
  return {
    office,
    forget: () => {
      unshare();
      refusals.close();
    },
  };
}

export const firstPort = 3000;
/** Or on port 3000, or on any free one where that is taken. */
export async function openOffice(
  { host, port }: { readonly host: string; readonly port?: number },
  { auth }: OfficeEntry,
  runtime: Runtime,
): Promise<Office> {
  // Loads the office here, because every command reads a token by this module, and few open an office.
  const { createOffice } = await import('../api/office.ts');
  const open = (at: number): Promise<Office> =>
    createOffice({ host, port: at, ...(auth !== undefined && { auth }) }, runtime);
  if (port !== undefined) return open(port);
  return open(firstPort).catch((error: unknown) => {
    if (!(error instanceof A2cError) || host !== '127.0.0.1') throw error;
    return open(0);
  });
}
