/** Version of the package; a test compares it with package.json. */
export const version = '0.1.0';
/** Minor version of XState on whose internals replay depends. A test compares it with what is installed. */
export const xstateVersion = '5.33';
