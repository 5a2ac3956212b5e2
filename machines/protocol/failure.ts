/**
 * Failures are data: a code, a sentence, and details that never carry secrets, hosts or stacks.
 * Numeric codes are those of A2C-SMCP (draft 0.2.0, error tables); names are ours and local to a host.
 * One closed union: a new way to fail is a new line here.
 */
export const wireCodes = {
  badRequest: 400,
  forbidden: 403,
  notFound: 404,
  timeout: 408,
  conflict: 409,
  tooLarge: 413,
  tooMany: 429,
  internal: 500,
  notBuilt: 501,
  toolNotFound: 4001,
  toolDisabled: 4002,
  toolFailed: 4003,
  toolTimeout: 4004,
  notConfirmed: 4005,
  /** Those of Finder (seed 000). */
  documentNotFound: 4201,
  pageOutOfRange: 4202,
  elementNotFound: 4203,
  invalidDpeUri: 4204,
} as const;
export type WireCode = (typeof wireCodes)[keyof typeof wireCodes];

/** Codes that never cross the wire as such; each has the numeric code that stands for it there. */
const localCodes = {
  ServerNotActive: wireCodes.toolFailed,
  ServerLost: wireCodes.toolFailed,
  /** It cannot be started as it is configured: no such command, not allowed to run, … */
  NotStartable: wireCodes.toolFailed,
  /** A remote server wants a login (HTTP 401), or refuses this one (403). */
  Unauthorized: wireCodes.toolFailed,
  AccessDenied: wireCodes.toolFailed,
  ToolCallCancelled: wireCodes.toolFailed,
  /** Its arguments break the schema of the tool; it was not sent. */
  ArgumentsInvalid: wireCodes.badRequest,
  /** The policy of the computer says no, whatever a person would say. */
  NotPermitted: wireCodes.notConfirmed,
  /** As many calls as may wait for its server, or for its computer, do so already; it was not sent. */
  Busy: wireCodes.tooMany,
  ToolExecutionTimeout: wireCodes.toolTimeout,
  ToolNameDuplicated: wireCodes.conflict,
  InputNotFound: wireCodes.badRequest,
  VrlSyntaxError: wireCodes.badRequest,
  ConfigInvalid: wireCodes.badRequest,
  LinkLost: wireCodes.notFound,
  Crashed: wireCodes.internal,
} as const;
export type LocalCode = keyof typeof localCodes;

export interface Failure {
  readonly code: WireCode | LocalCode;
  /** One sentence for a person. */
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** What the person can do about it. */
  readonly remedy?: string;
}

/** The error object of an ack. */
export interface WireError {
  readonly code: WireCode;
  /** One sentence for a person. */
  readonly message: string;
  readonly details?: object;
  /** What the person can do about it: our extension. */
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
