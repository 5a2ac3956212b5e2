/** What passes between a call and the callbacks of its host. */

/** Whatever was thrown; a value without a text is one, too. */
export const textOf = (error: unknown): string => {
  try {
    return String(error);
  } catch {
    return 'with something that has no text';
  }
};
/** What is sent as JSON, as its receiver will read it: nobody changes it from now on. As it is where it is no JSON. */
export function handed<T extends object>(value: T): T {
  try {
    return JSON.parse(JSON.stringify(value)) as T;
  } catch {
    return value;
  }
}
