/** A schema without references in which every keyword has a value that JSON Schema 2020-12 allows. */
export type Schema = Readonly<Record<string, unknown>>;

export const jsonTypes = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'] as const;
export type JsonType = (typeof jsonTypes)[number];

/** More parts than these no provider is given: what is beyond them may be anything of its type. */
export const mostParts = 5_000;
