import { isSecretName } from './secret-names.ts';
import type { Span } from './secret-search.ts';

/**
 * Secrets that tell themselves by their form, wherever they stand. The first group stays readable. A text has up to
 * 8 MiB: none may look twice at the same stretch (hence the look back to where a word begins), and none may match
 * without a bound, because what it could give back again is kept on a stack that ends.
 */
const forms = [
  // `basic authentication` is English.
  /((?:bearer|basic)\s{1,8})(?![a-z]{1,40}(?![\w~+/=-]))[\w.~+/=-]{8,65536}/gi,
  /\b(sk-)[\w-]{16,4096}/g,
  /\b(gh[pousr]_|github_pat_)\w{20,4096}/g,
  /\b(xox[abprs]-)[\w-]{10,4096}/g,
  /\b(AKIA)[0-9A-Z]{16}/g,
  /(?<![\w-])(eyJ)[\w-]{8,4096}\.[\w-]{8,65536}\.[\w-]{0,4096}/g,
  /(:\/\/[^\s/:@]{0,256}:)[^\s/]{1,4096}(?=@)/g,
  /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[^-]{1,65536}/g,
];
/** `password=…`, `"apiKey": "…"` inside a text. The name may begin further left, and be a harmless one. */
const assigned =
  /((password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)["'\\]{0,4}\s{0,8}([=:])\s{0,8}(["'\\]{0,4}))([^\s"'\\&;,<>(){}[\]]{6,65536})/gi;
const longestNameLength = 60;
/** `missing secret: API_TOKEN`, `token: expired`: a sentence, and no secret. */
const isSaid = /^([a-z_]+|[A-Z][a-z]+|[A-Z_\d]+)[.!?]?$/;
/** A text without any of these has no secret of a known form. Most texts have none. */
const beginnings =
  /bearer|basic|sk-|gh[pousr]_|github_pat_|xox|AKIA|eyJ|:\/\/|-----BEGIN|passw|passphrase|secret|token|key/i;

/** Where what has the form of a secret stands in a text. */
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
