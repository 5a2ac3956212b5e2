import type { LinkRefusal } from '../../machines/link/link.machine.ts';
import { noOffice } from '../../machines/office/rooms/loopback.ts';
import { notGranted } from '../../machines/office/rooms/grant.ts';
import { events, wireCodes, type Failure } from '../../machines/protocol/index.ts';
import { A2cError } from '../kernel/errors.ts';

type Said = Pick<Failure, 'code' | 'remedy'> & { readonly what: string };
const agentSeat: Said = {
  code: wireCodes.conflict,
  what: 'The office refused the seat',
  remedy: 'An office has one agent: close the other one, or use another office id.',
};
const computerSeat: Said = {
  code: wireCodes.conflict,
  what: 'The office refused the seat',
  remedy: 'The computers of an office have different names: use another one.',
};
const foreignSeat: Said = {
  code: wireCodes.notAllowed,
  what: 'The office refused the seat',
  remedy: 'Use an office id, role and name that the credential is for, or another credential.',
};
const unfitSeat: Said = {
  code: wireCodes.badRequest,
  what: 'The office refused the seat',
  remedy: 'Use another name, or another office id.',
};
const version: Said = {
  code: wireCodes.versionMismatch,
  what: 'The office refused our version of the protocol',
  remedy: 'Use an office of 0.1 to 0.4, such as: a2c office',
};
const credential: Said = {
  code: wireCodes.unauthorized,
  what: 'The office did not let us in',
  remedy: 'Give the token of that office: --token, the variable A2C_TOKEN, or auth in a program.',
};
const unreached: Said = {
  code: 'LinkLost',
  what: 'Could not join the office',
  remedy: 'Start an office: a2c office',
};

const elsewhere: Said = {
  ...unreached,
  remedy: 'Give the address of an office, with the path below which it is reached: https://HOST/PATH/',
};

const isUnfit = (reason: string): boolean => reason.startsWith(`Wrong payload of ${events.joinOffice}`);

/** Why somebody does not sit in an office, with what to do about it. */
export function notJoined(role: 'agent' | 'computer', reason: string, refusal: LinkRefusal | null): A2cError {
  const taken = role === 'agent' ? agentSeat : computerSeat;
  const seat = reason.startsWith(notGranted) ? foreignSeat : isUnfit(reason) ? unfitSeat : taken;
  const away = reason.startsWith(noOffice) ? elsewhere : unreached;
  const { code, what, remedy } = refusal === null ? away : { seat, version, credential }[refusal];
  return new A2cError({ code, message: `${what}: ${reason}`, ...(remedy !== undefined && { remedy }) });
}
