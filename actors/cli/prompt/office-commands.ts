import { parseArgs } from 'node:util';
import type { Terminal } from '../../../adapters/index.ts';
import { A2cError } from '../../api/errors.ts';
import type { Computer } from '../../api/computer/computer-handle.ts';
import { usage, type CommandGroup } from './command.ts';

/** What the prompt takes of the seat in an office. */
export function officeCommands(terminal: Terminal, computer: Computer): CommandGroup {
  /** `socket connect` names the office, and `socket join` the room. */
  let url: string | undefined;
  const join = async (at: string, id: string, name: string | undefined): Promise<void> => {
    if (name !== undefined && name !== computer.name)
      throw new A2cError({
        code: 400,
        message: `this computer is called '${computer.name}', and keeps that name`,
        remedy: `Start it with another one: a2c up --name ${name}`,
      });
    if (computer.status().link) await computer.leave();
    await computer.join({ url: at, id });
    terminal.out(`joined ${id} at ${at}`);
  };
  return {
    heading: 'Office',
    commands: [
      {
        names: ['connect'],
        args: '--url URL [--office ID] [--name NAME]',
        does: 'leave the office, and take a seat in this one',
        run: async (rest) => {
          const { values } = parsed(rest);
          if (values.url === undefined) throw usage('connect --url http://127.0.0.1:3000 --office local');
          await join(values.url, values.office ?? 'local', values.name);
        },
      },
      {
        names: ['socket connect'],
        args: 'URL',
        does: 'name the office whose room is joined next',
        run: (rest) => {
          if (!URL.canParse(rest)) throw usage('socket connect http://127.0.0.1:3000');
          url = rest;
          terminal.out(`next: socket join OFFICE ${computer.name}`);
        },
      },
      {
        names: ['socket join'],
        args: 'OFFICE [NAME]',
        does: 'take a seat there',
        run: async (rest) => {
          const [id = '', name] = rest.split(/\s+/);
          if (id === '' || url === undefined) throw usage('socket connect URL, then socket join OFFICE');
          await join(url, id, name);
        },
      },
      {
        names: ['socket leave'],
        does: 'leave the office; the servers stay',
        run: async () => {
          if (!computer.status().link) return terminal.out('in no office');
          await computer.leave();
          terminal.out('left the office');
        },
      },
      {
        names: ['notify update'],
        does: 'nothing: an office is told of each change by itself',
        run: () => terminal.out('an office is told of each change by itself'),
      },
    ],
  };
}
function parsed(rest: string): { readonly values: { url?: string; office?: string; name?: string } } {
  const option = { type: 'string' } as const;
  try {
    return parseArgs({
      args: rest.split(/\s+/).filter((word) => word !== ''),
      options: { url: option, office: option, name: option },
    });
  } catch (error) {
    throw usage(`connect --url URL [--office ID]: ${(error as Error).message}`);
  }
}
