import { isSecretName } from './secret-names.ts';
import type { Span } from './secret-search.ts';

/**
 * Patterns of secrets that are recognizable by their form. The first group of a match stays readable. Texts
 * may have 8 MiB, so no pattern may scan a stretch twice (hence the lookbehind for a word boundary) or repeat
 * without a bound, because backtracking would overflow the stack.
 */
const forms = [
  // Plain English such as `basic authentication` must not match.
  /((?:bearer|basic)\s{1,8})(?![a-z]{1,40}(?![\w~+/=-]))[\w.~+/=-]{8,65536}/gi,
  /\b(sk-)[\w-]{16,4096}/g,
  /\b(gh[pousr]_|github_pat_)\w{20,4096}/g,
  /\b(xox[abprs]-)[\w-]{10,4096}/g,
  /\b(AKIA)[0-9A-Z]{16}/g,
  /(?<![\w-])(eyJ)[\w-]{8,4096}\.[\w-]{8,65536}\.[\w-]{0,4096}/g,
  /(:\/\/[^\s/:@]{0,256}:)[^\s/]{1,4096}(?=@)/g,
  /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[^-]{1,65536}/g,
];
/**
 * Matches an assignment inside a text, such as `password=…` or `"apiKey": "…"`. The complete name may start
 * further left and turn out to be harmless.
 */
const assigned =
  /((password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)["'\\]{0,4}\s{0,8}([=:])\s{0,8}(["'\\]{0,4}))([^\s"'\\&;,<>(){}[\]]{6,65536})/gi;
const longestNameLength = 60;
/**
 * Matches ordinary words after a secret name, as in `missing secret: API_TOKEN` and `token: expired`, which
 * are no secrets.
 */
const isSaid = /^([a-z_]+|[A-Z][a-z]+|[A-Z_\d]+)[.!?]?$/;
/**
 * Quick check: a text without any of these fragments contains no secret of a known form. Most texts contain
 * none.
 */
const beginnings =
  /bearer|basic|sk-|gh[pousr]_|github_pat_|xox|AKIA|eyJ|:\/\/|-----BEGIN|passw|passphrase|secret|token|key/i;

/** Returns the places in a text that have the form of a secret. */
export const formsIn = (text: string): Span[] => (beginnings.test(text) ? [...found(text)] : []);
function* found(text: string): Generator<Span> {
  for (const form of forms)
    for (const { 0: all, 1: start = '', index } of text.matchAll(form))
      yield [index + start.length, index + all.length];
  for (const {
    0: all,
    1: start = '',
    2: word = '',
    3: sign,
    4: quote,
    5: value = '',
    index,
  } of text.matchAll(assigned)) {
    if (sign === ':' && quote === '' && isSaid.test(value)) continue;
    const [before] = /[\w-]*$/.exec(text.slice(Math.max(0, index - longestNameLength), index)) ?? [''];
    if (isSecretName(before + word)) yield [index + start.length, index + all.length];
  }
}
