/** What is said where one node of an office is not enough. */
import { wireCodes, type Failure } from '../../../machines/protocol/failure.ts';

/** Said where the register is not reached: nothing was done. */
export const apart: Failure = {
  code: wireCodes.unavailable,
  message: 'The office cannot reach its register now: try again',
  details: { reason: 'register' },
};
export const unreached: Failure = {
  code: wireCodes.unavailable,
  message: 'The server at which this computer sits cannot be reached now: nothing was sent',
  details: { reason: 'node' },
};
export const unsure: Failure = {
  code: wireCodes.notFound,
  message: 'The connection to the server at which this computer sits broke off',
  details: { reason: 'left' },
};
export const gone: Failure = {
  code: wireCodes.notFound,
  message: 'The computer is not in this office any more',
  details: { reason: 'left' },
};
export const overtaken: Failure = {
  code: wireCodes.conflict,
  message: 'Another connection has taken this seat while the office was apart from its register',
  details: { reason: 'overtaken' },
};
