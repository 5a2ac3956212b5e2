/** Object whose fields were not checked yet: as JSON was read, or as somebody else gave it. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is an object with fields: neither null nor a list. */
export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value when it is an object, an object without fields otherwise: to read members of anything. */
export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

/** Member of a record under a name that a stranger chose, such as `constructor`: inherited ones do not count. */
export const ownMember = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** Copy of a record without one of its keys. */
export const withoutKey = <T>(
  record: Readonly<Record<string, T>>,
  key: string,
): Readonly<Record<string, T>> => Object.fromEntries(Object.entries(record).filter(([each]) => each !== key));
