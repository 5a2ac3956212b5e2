/** Object whose fields were not checked yet, as parsed from JSON or received from foreign code. */
export type Fields = Readonly<Record<string, unknown>>;

/** Tells whether a value is an object with fields: neither null nor a list. */
export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the value if it is an object, otherwise an empty object, so that members of any value can be read. */
export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

/**
 * Returns a member of a record under a name that a stranger chose, such as `constructor`; inherited members are
 * ignored.
 */
export const ownMember = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

export const withoutKey = <T>(
  record: Readonly<Record<string, T>>,
  key: string,
): Readonly<Record<string, T>> => Object.fromEntries(Object.entries(record).filter(([each]) => each !== key));

/** Returns the object without the fields that are undefined, so that they do not hide others or stand in a message. */
export const withoutUndefined = <T extends object>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
