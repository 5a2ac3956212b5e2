import { A2cError, failureOf } from '../kernel/errors.ts';
import type { ToldOutcome } from './call-outcome.ts';
import {
  confirmationTexts,
  failedConfirmation,
  type ConfirmationText,
  type ConfirmationValues,
} from '../../machines/call/policy/index.ts';

/**
 * Language of the texts with which a host and its models hear that a call was not confirmed: English, Chinese (the
 * texts of the reference implementation), or a function that returns the text for a key: `denied`, `late`, `missing` or
 * `failed`. A function that throws or returns no text gets the English one. What other hosts get on the wire stays the
 * same.
 */
export type Texts = 'en' | 'zh' | ((key: ConfirmationText, values: ConfirmationValues) => string);

type Told = Pick<ToldOutcome, 'failure'>;
export const wordedBy =
  (texts: Texts = 'en') =>
  <T extends Told>(told: T): T => {
    const found = told.failure && failedConfirmation(told.failure);
    if (!found) return told;
    const { key, values } = found;
    const message = ownText(texts, key, values) ?? confirmationTexts.en[key](values);
    return { ...told, failure: { ...told.failure, message } };
  };
/** English is the text of the wire, so nothing is translated. */
export function errorIn(texts: Texts = 'en', error: unknown): unknown {
  if (texts === 'en' || !(error instanceof A2cError)) return error;
  const { failure } = wordedBy(texts)({ failure: failureOf(error) });
  return failure.message === error.message ? error : new A2cError(failure);
}
function ownText(texts: Texts, key: ConfirmationText, values: ConfirmationValues): string | undefined {
  if (typeof texts !== 'function') return confirmationTexts[texts][key](values);
  try {
    const text: unknown = texts(key, values);
    return typeof text === 'string' && text !== '' ? text : undefined;
  } catch {
    return undefined;
  }
}
