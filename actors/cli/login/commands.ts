import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withJson, withSource } from '../options.ts';

type Action = (context: Context, ...args: never[]) => Promise<number>;
/** Loaded once one of them is typed. */
const login: Action = async (...args) => ((await import('./login.ts')).login as Action)(...args);
const logout: Action = async (...args) => ((await import('./login.ts')).logout as Action)(...args);

/** The commands for servers behind a URL that want a login. */
export function addLogin(
  program: Command,
  does: (action: Action) => (...args: unknown[]) => Promise<void>,
): void {
  withJson(withSource(program.command('login')))
    .description(
      'logs in to a server behind a URL, in a browser; other commands use the login (docs/login.md)',
    )
    .argument('<server>', 'a server of the config')
    .option('--again', 'log out first', false)
    .option('--no-browser', 'show the address, and open no browser')
    .action(does(login));
  withJson(withSource(program.command('logout')))
    .description('forgets the login to a server, and revokes it where the server lets one')
    .argument('<server>', 'a server of the config')
    .action(does(logout));
}
