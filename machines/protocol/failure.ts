import { excessBytes, mostLevels } from './size.ts';

/**
 * Failures are data: a code, a sentence, and details that never carry secrets, hosts or stacks.
 * Numeric codes are those of A2C-SMCP (draft 0.2.0, error tables); names are ours and local to a host.
 * One closed union: a new way to fail is a new line here.
 */
export const wireCodes = {
  /** The question, the arguments or the config cannot be read. */
  badRequest: 400,
  /** The office wants a token, or another one. */
  unauthorized: 401,
  /** Not from this seat: it is not taken, or another role has to ask. */
  notAllowed: 403,
  /** No such computer, server, window or office. */
  notFound: 404,
  /** No answer in time; what was asked may still happen. */
  timeout: 408,
  /** Somebody or something else has this name, id or place already. */
  conflict: 409,
  /** More bytes than `sizes` allow. */
  tooLarge: 413,
  /** Too many wait already; ask again later. */
  tooMany: 429,
  /** Unreadable answer, or a fault inside. */
  internal: 500,
  /** The peer does not know this question. */
  notBuilt: 501,
  /** The office cannot serve now: it is closing, or cannot check who asks. Try again later. */
  unavailable: 503,
  /** No tool of this name, or none any more. */
  toolNotFound: 4001,
  /** `forbidden_tools` has it. */
  toolDisabled: 4002,
  /** The server said no, ended, or is not active. */
  toolFailed: 4003,
  /** The tool took too long; it may have taken effect. */
  toolTimeout: 4004,
  /** A person, or the policy of the computer, did not allow it. */
  notConfirmed: 4005,
  /** The server behind the tool wants a login: of 0.3 and later, as all up to 4019. */
  loginRequired: 4006,
  /** The server refuses the login that its computer has. */
  loginFailed: 4007,
  /** An office and its peer speak different versions of the protocol. */
  versionMismatch: 4008,
  /** No server, or no skill, of this name. */
  serverNotFound: 4014,
  /** The server does not offer what was asked. */
  capabilityMissing: 4015,
  /** This cannot be the name of a skill. */
  skillNameInvalid: 4016,
  /** The skill has no such file, or does not give it away. */
  skillFileNotAccessible: 4017,
  /** A part of something large cannot be had. */
  blobNotAccessible: 4018,
  /** A part of something large cannot be written. */
  blobNotWritten: 4019,
  /** No such document. This code and the three below are those of Finder (seed 000). */
  documentNotFound: 4201,
  /** The document has fewer pages. */
  pageOutOfRange: 4202,
  /** The document has no such element. */
  elementNotFound: 4203,
  /** The URI breaks a rule; no server was asked. */
  invalidDpeUri: 4204,
} as const;
/** The error codes of A2C-SMCP. */
export type WireCode = (typeof wireCodes)[keyof typeof wireCodes];
const known: ReadonlySet<unknown> = new Set(Object.values(wireCodes));
export const isWireCode = (code: unknown): code is WireCode => known.has(code);

/** Codes that never cross the wire as such; each has the numeric code that stands for it there. */
const localCodes = {
  ServerNotActive: wireCodes.toolFailed,
  ServerLost: wireCodes.toolFailed,
  /** A server that cannot be started as it is configured: no such command, not allowed to run, … */
  NotStartable: wireCodes.toolFailed,
  /** A remote server wants a login (HTTP 401), or refuses this one (403). */
  Unauthorized: wireCodes.loginRequired,
  AccessDenied: wireCodes.loginFailed,
  ToolCallCancelled: wireCodes.toolFailed,
  /** Arguments that break the schema of the tool; the call was not sent. */
  ArgumentsInvalid: wireCodes.badRequest,
  /** The policy of the computer says no, whatever a person would say. */
  NotPermitted: wireCodes.notConfirmed,
  /** Too many calls wait for the server or the computer already; this one was not sent. */
  Busy: wireCodes.tooMany,
  ToolExecutionTimeout: wireCodes.toolTimeout,
  ToolNameDuplicated: wireCodes.conflict,
  InputNotFound: wireCodes.badRequest,
  VrlSyntaxError: wireCodes.badRequest,
  ConfigInvalid: wireCodes.badRequest,
  LinkLost: wireCodes.notFound,
  ListRestless: wireCodes.internal,
  Crashed: wireCodes.internal,
} as const;
/**
 * Names that are more exact than the numbers of the protocol. They never cross the wire: there `details.reason` has
 * them.
 */
export type LocalCode = keyof typeof localCodes;

/** Why something did not happen. It is data: what is awaited rejects with an `A2cError` of the same fields. */
export interface Failure {
  /** Code that programs decide by. */
  readonly code: WireCode | LocalCode;
  /** One sentence for a person. */
  readonly message: string;
  /** Facts beside the message, for programs; without secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Remedy: what a person can do about it. */
  readonly remedy?: string;
}

/** The error object of an ack. */
export interface WireError {
  /** Code of the protocol, also in place of a local one. */
  readonly code: WireCode;
  /** One sentence for a person. */
  readonly message: string;
  /** `reason` is the local code, where there is one; the rest is as in the failure. */
  readonly details?: object;
  /** Remedy for a person: our extension. */
  readonly remedy?: string;
}

/** A local code becomes its number and `details.reason`. */
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

/** Bytes of JSON that the data of a JSON-RPC error may have: it travels on with every failure that it explains. */
export const errorDataBytes = 4096;

/**
 * Details of a failure from the JSON-RPC error of an MCP server: `code` and `data`. Data that is too large is dropped, and
 * `data_dropped` says so in a sentence; `null` is none.
 */
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
