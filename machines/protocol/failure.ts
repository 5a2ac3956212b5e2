/** Failures as data: codes of the wire, names for hosts, and details. */
import { excessBytes, mostLevels } from './json.ts';

/**
 * Error codes of the wire. Failures are data: a code, a sentence, and details without secrets, host names or stacks.
 * The numbers are those of A2C-SMCP (draft 0.2.0, error tables); the names are ours and never leave the host. Every
 * new failure is added to this list.
 */
export const wireCodes = {
  /** Question, arguments or config cannot be read. */
  badRequest: 400,
  /** Token missing or wrong, according to the office. */
  tokenRefused: 401,
  /** Question not allowed from this seat: the peer has no seat, or another role has to ask. */
  notAllowed: 403,
  /** Computer, server, window or office does not exist. */
  notFound: 404,
  /** Answer did not come in time; the requested action may still happen. */
  noAnswer: 408,
  /** Name, id or place is already taken. */
  conflict: 409,
  /** Message has more bytes than `sizes` allow. */
  tooLarge: 413,
  /** Too many requests are waiting already; the peer should ask again later. */
  tooMany: 429,
  /** Answer of the peer is unreadable, or an internal error occurred. */
  internal: 500,
  /** Question is unknown to the peer. */
  notSupported: 501,
  /** Office cannot serve now: it is closing, or cannot check the credentials. The peer should try again later. */
  unavailable: 503,
  /** Tool of this name does not exist, or no longer exists. */
  toolNotFound: 4001,
  /** Tool is listed in `forbidden_tools` of the config. */
  toolDisabled: 4002,
  /** Server answered with an error, ended, or is not active. */
  toolFailed: 4003,
  /** Tool took too long; it may have taken effect. */
  toolTimeout: 4004,
  /** Call was not allowed by a person or by the policy of the computer. */
  notConfirmed: 4005,
  /** Server behind the tool requires a login. Codes 4006 to 4019 belong to protocol 0.3 and later. */
  loginRequired: 4006,
  /** Server rejects the login that its computer has. */
  loginFailed: 4007,
  /** Office and peer speak different versions of the protocol. */
  versionMismatch: 4008,
  /** Server or skill of this name does not exist. */
  serverNotFound: 4014,
  /** Server does not offer the requested capability. */
  capabilityMissing: 4015,
  /** Name is not valid for a skill. */
  skillNameInvalid: 4016,
  /** File does not exist in the skill, or the skill does not share it. */
  skillFileNotAccessible: 4017,
  /** Part of a large object (blob) cannot be read. */
  blobNotAccessible: 4018,
  /** Part of a large object (blob) cannot be written. */
  blobNotWritten: 4019,
  /** Document does not exist. Codes 4201 to 4204 belong to Finder. */
  documentNotFound: 4201,
  /** Page number is beyond the last page of the document. */
  pageOutOfRange: 4202,
  /** Element does not exist in the document. */
  elementNotFound: 4203,
  /** URI breaks a rule of `dpe://`; no server was asked. */
  invalidDpeUri: 4204,
} as const;
/** Error code of A2C-SMCP. */
export type WireCode = (typeof wireCodes)[keyof typeof wireCodes];
const known: ReadonlySet<unknown> = new Set(Object.values(wireCodes));
export const isWireCode = (code: unknown): code is WireCode => known.has(code);

/** Each with the numeric code that is sent in its place on the wire. */
export const localCodes = {
  ServerNotActive: wireCodes.toolFailed,
  ServerLost: wireCodes.toolFailed,
  NotStartable: wireCodes.toolFailed,
  /** HTTP 401; `AccessDenied`: the login is rejected (403). */
  Unauthorized: wireCodes.loginRequired,
  AccessDenied: wireCodes.loginFailed,
  ToolCallCancelled: wireCodes.toolFailed,
  /** The call was not sent. */
  ArgumentsInvalid: wireCodes.badRequest,
  /** No person is asked. */
  NotPermitted: wireCodes.notConfirmed,
  Busy: wireCodes.tooMany,
  ToolExecutionTimeout: wireCodes.toolTimeout,
  ToolNameDuplicated: wireCodes.conflict,
  InputNotFound: wireCodes.badRequest,
  VrlSyntaxError: wireCodes.badRequest,
  ConfigInvalid: wireCodes.badRequest,
  LinkLost: wireCodes.notFound,
  ComputerLost: wireCodes.notFound,
  /** This computer, agent or presenter is closed. */
  Closed: wireCodes.unavailable,
  ListRestless: wireCodes.internal,
  Crashed: wireCodes.internal,
} as const;
/** Local error code, more exact than the numbers of the protocol. On the wire it appears only as `details.reason`. */
export type LocalCode = keyof typeof localCodes;
export const isLocalCode = (code: unknown): code is LocalCode =>
  typeof code === 'string' && Object.hasOwn(localCodes, code);

/** Local codes that say no more than a code of the wire; hosts see the name of that one. */
const sameAsWire = {
  ToolExecutionTimeout: 'ToolTimeout',
  Unauthorized: 'LoginRequired',
  AccessDenied: 'LoginFailed',
} as const;
/** Name of a kind of failure, for programs to decide by; docs/errors.md has all. */
export type CodeName = Capitalize<keyof typeof wireCodes> | Exclude<LocalCode, keyof typeof sameAsWire>;
const nameOf = (key: string): string => `${key.charAt(0).toUpperCase()}${key.slice(1)}`;
const wireNames = new Map(Object.entries(wireCodes).map(([key, code]) => [code, nameOf(key) as CodeName]));
const codesByName = new Map([...wireNames].map(([code, name]) => [name, code]));

/** Reason why an operation failed, as data. Promises of the API reject with an `A2cError` of the same fields. */
export interface HostFailure extends Omit<Failure, 'code'> {
  /** Name of the kind of failure, for programs to decide by (docs/errors.md). */
  readonly code: CodeName;
  /** Number that peers get for it on the wire. */
  readonly wireCode: WireCode;
}
export const codeNameOf = (code: Failure['code'] | CodeName): CodeName => {
  if (typeof code === 'number') return wireNames.get(code) ?? 'Internal';
  return Object.hasOwn(sameAsWire, code) ? sameAsWire[code as keyof typeof sameAsWire] : (code as CodeName);
};
export function hostFailure({ code, message, ...more }: Failure | HostFailure): HostFailure {
  const name = codeNameOf(code);
  const wireCode = typeof code === 'number' ? code : (codesByName.get(name) ?? localCodes[name as LocalCode]);
  return { ...more, code: name, wireCode, message };
}

/** Failure inside of a host and on its traces. */
export interface Failure {
  /** Number of the protocol, or a local name. */
  readonly code: WireCode | LocalCode;
  /** Description in one sentence, for a person. */
  readonly message: string;
  /** Facts beside the message, for programs; never contain secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Remedy: the action that a person can take. */
  readonly remedy?: string;
}

/** Error object in an acknowledgement on the wire. */
export interface WireError {
  /** Numeric code of the protocol, also when the failure had a local code. */
  readonly code: WireCode;
  /** Description in one sentence, for a person. */
  readonly message: string;
  /** Details of the failure; `reason` holds the local code, when there is one. */
  readonly details?: object;
  /** Remedy for a person: an extension of ours. */
  readonly remedy?: string;
}

/** Converts a failure for the wire: a local code becomes its number, and its name goes to `details.reason`. */
export function toWireError(failure: Failure): WireError {
  const { code, message, details, remedy } = failure;
  const more = { ...(typeof code === 'string' && { reason: code }), ...details };
  return {
    code: typeof code === 'number' ? code : localCodes[code],
    message,
    ...((Object.keys(more).length > 0 || details) && { details: more }),
    ...(remedy !== undefined && { remedy }),
  };
}

/**
 * A local code in `details.reason` becomes the code again: one cause has one code on both sides. `left` is what offices
 * say of a computer that left while it was asked.
 */
export function fromWireError(failure: Failure): Failure {
  const { reason: said, ...details } = failure.details ?? {};
  const reason = said === 'left' && details['left'] === undefined ? 'ComputerLost' : said;
  if (typeof reason !== 'string' || !Object.hasOwn(localCodes, reason)) return failure;
  const code = reason as LocalCode;
  return localCodes[code] === failure.code ? { ...failure, code, details } : failure;
}

/** In bytes; the data travels with every failure that it explains. */
export const errorDataBytes = 4096;

/** Data that is too large is dropped, and `data_dropped` says so; `null` counts as no data. */
export function rpcErrorDetails({
  code,
  data,
}: {
  readonly code: number;
  readonly data?: unknown;
}): Readonly<Record<string, unknown>> {
  if (data === undefined || data === null) return { code };
  const bytes = excessBytes(data, errorDataBytes);
  if (bytes === undefined) return { code, data };
  return {
    code,
    data_dropped:
      bytes === Infinity
        ? `it is nested too deep, the limit is ${mostLevels} levels`
        : `it has ${bytes} bytes, the limit is ${errorDataBytes}`,
  };
}

/** In a refusal (403) of a connected peer that has no seat, for example while it joins again. */
export const noSeat = 'no_seat';
export const isUnseated = ({ code, details }: Pick<Failure, 'code' | 'details'>): boolean =>
  code === wireCodes.notAllowed && details?.['reason'] === noSeat;

/** Beginning of the text with which an office of ours refuses what a credential is not for. */
export const notGranted = 'Your credential is not for';

/** Tells whether a remote server forgot the MCP session, so that the session is over. */
export const isForgotten = (failure: Failure): boolean =>
  failure.code === 'ServerLost' && failure.details?.['http_status'] !== undefined;
/** JSON-RPC's "Method not found". */
export const isUnknown = ({ details }: Failure): boolean => details?.['code'] === -32_601;
/** The server surely did not read it (HTTP 404 within a session), so that it may be sent again. */
export const isUnread = (failure: Failure): boolean =>
  isForgotten(failure) && failure.details?.['http_status'] === 404;
