// `renewing-host.ts URL FOLDER NOW`: prints the token of the server at URL for each line on stdin.
import { createInterface } from 'node:readline';
import { Login } from '../../../adapters/oauth/login.ts';
import { sharedLogins } from '../../../adapters/oauth/login-store.ts';

const [url = '', folder = '', now = '0'] = process.argv.slice(2);
const login = new Login({
  server: 'far',
  url,
  config: {},
  store: sharedLogins(folder),
  authorize: undefined,
  hide: () => {},
  now: () => Number(now),
});
const say = (text: string): boolean => process.stdout.write(`${text}\n`);
createInterface({ input: process.stdin }).on('line', () => {
  void login.token().then((token) => say(token ?? 'none'));
});
say('up');
