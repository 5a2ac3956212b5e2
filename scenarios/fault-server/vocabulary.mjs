import { readFileSync } from 'node:fs';
import { nearest } from './nearest.mjs';

/**
 * All words of the fault vocabulary. The JSON file is read and not imported, because Node 20 prints a warning for JSON imports.
 */
export const words = JSON.parse(readFileSync(new URL('./words/words.json', import.meta.url), 'utf8'));
/** Words that a server can execute by itself. */
export const serverWords = words.filter(({ where, later }) => where === 'server' && later === undefined);

/** Error for bad input, with the mistake and advice. */
export class Refusal extends Error {
  constructor(message, remedy) {
    super(message);
    this.remedy = remedy;
  }
}

const longestMs = 2_147_000_000;
const clauses = {
  tool: { type: 'string' },
  afterMs: { type: 'integer', min: 0, max: longestMs },
  from: { type: 'integer', min: 1 },
  times: { type: 'integer', min: 1 },
  p: { type: 'number', min: 0, max: 1 },
  inAll: { type: 'boolean' },
  after: { type: 'string' },
};
export const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

export const meant = (word, known, otherwise) => {
  const near = nearest(word, known);
  return near.length > 0 ? `did you mean ${near.join(' or ')}?` : otherwise;
};
export const refuseUnknown = (at, object, known) => {
  for (const key of Object.keys(object))
    if (!known.includes(key))
      throw new Refusal(`${at}: unknown key ${key}`, meant(key, known, `known: ${known.join(', ')}`));
};

/** Returns the value when it has the required type and range; throws a refusal otherwise. */
export function checked(at, value, { type, min = -Infinity, max = Infinity, oneOf }) {
  const isRight =
    type === 'integer'
      ? Number.isSafeInteger(value)
      : type === 'object'
        ? isObject(value)
        : typeof value === type && value === value;
  if (!isRight) throw new Refusal(`${at}: not ${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`, `write one`);
  if (oneOf && !oneOf.includes(value))
    throw new Refusal(`${at}: ${value} is none of ${oneOf.join(', ')}`, `take one of them`);
  if (value < min) throw new Refusal(`${at}: ${value} is too little`, `at least ${min}`);
  if (value > max) throw new Refusal(`${at}: ${value} is too much`, `at most ${max}`);
  return value;
}

const elsewhere = {
  launch: 'it is in how the command is launched: give your host another command',
  net: 'it is done by the one who plays the wire to the office',
  host: 'it is done by the one who plays the host',
  agent: 'it is done by the one who plays the agent',
  sched: 'it is done by the one who runs the clock of a simulation',
};

/** Reads a fault and fills in its `when` and all its parameters. */
export function readFault(at, given) {
  checked(at, given, { type: 'object' });
  const names = serverWords.map(({ fault }) => fault);
  if (typeof given.fault !== 'string')
    throw new Refusal(`${at}: has no fault`, `{"fault":"proc.exit"}; --list names them all`);
  const word = words.find(({ fault }) => fault === given.fault);
  if (!word)
    throw new Refusal(
      `${at}: unknown fault ${given.fault}`,
      meant(given.fault, names, '--list names them all'),
    );
  if (word.later) throw new Refusal(`${at}: ${word.fault} cannot be done yet`, `it waits for ${word.later}`);
  if (word.where !== 'server')
    throw new Refusal(`${at}: ${word.fault} cannot be done by a server`, elsewhere[word.where]);
  const { fault: _fault, when = word.when[0], ...rest } = given;
  refuseUnknown(`${at} (${word.fault})`, rest, [
    'when',
    ...Object.keys(clauses),
    ...Object.keys(word.params),
  ]);
  checked(`${at}.when`, when, { type: 'string', oneOf: word.when });
  if (rest.tool !== undefined && when !== 'call')
    throw new Refusal(`${at}.tool: only a call has a tool`, `"when":"call", or no tool`);
  const fault = { fault: word.fault, when };
  for (const [name, { default: usual }] of Object.entries(word.params)) fault[name] = usual;
  for (const [name, value] of Object.entries(rest))
    fault[name] = checked(`${at}.${name}`, value, clauses[name] ?? word.params[name]);
  return fault;
}
