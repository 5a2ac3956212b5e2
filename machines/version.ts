/** Version of the package; a test compares it with package.json. */
export const version = '0.1.0';
/** The minor of XState that replay leans on; a test holds it against what is installed. */
export const xstateVersion = '5.33';
