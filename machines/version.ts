/** A test compares it with package.json. */
export const version = '0.1.0';
/** Replay depends on its internals; a test compares it with what is installed. */
export const xstateVersion = '5.33';
