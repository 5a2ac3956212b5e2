import { parseArgs } from 'node:util';
import type { Fact } from '../../../machines/facts/index.ts';
import type { Computer } from '../../api/computer-handle.ts';
import { credentialBy } from '../entry.ts';
import type { Context } from '../context.ts';
import { usage, type CommandGroup } from './command.ts';
import type { PromptSeat } from './seat.ts';
import { wordsIn } from './words.ts';

/** What the prompt takes of the seat in an office. */
export function officeCommands(
  { terminal }: Context,
  computer: Computer,
  seat: PromptSeat,
  tell: (fact: Fact) => void,
): CommandGroup {
  /** `socket connect` names the office, and `socket join` the room. */
  let asked: string | undefined;
  const move = async (to: To): Promise<void> => {
    const { url, office: id = 'local', name = computer.name } = to;
    await seat.move({ url, id, name, ...credentialBy(to) });
    terminal.out(`joined ${id} at ${url}${name === computer.name ? '' : ` as ${name}`}`);
    tell({ type: 'office', url, office: id, name });
  };
  return {
    heading: 'Office',
    commands: [
      {
        names: ['connect'],
        args: '--url URL [--office ID] [--name NAME] [--token TOKEN]',
        does: 'take a seat in this office, and leave the old one once it is had (safer for the token: the variable A2C_TOKEN)',
        isPrivate: (rest) => rest.includes('--token'),
        run: async (rest) => move(toOf(rest)),
      },
      {
        names: ['socket connect'],
        args: 'URL',
        does: 'name the office whose room is joined next',
        run: (rest) => {
          if (!URL.canParse(rest)) throw usage('socket connect http://127.0.0.1:3000');
          asked = rest;
          terminal.out(`next: socket join OFFICE ${computer.name}`);
        },
      },
      {
        names: ['socket join'],
        args: 'OFFICE [NAME]',
        does: 'take a seat there',
        run: async (rest) => {
          const [office = '', name] = rest.split(/\s+/);
          if (office === '' || asked === undefined)
            throw usage('socket connect URL, then socket join OFFICE');
          await move({ url: asked, office, ...(name !== undefined && { name }) });
        },
      },
      {
        names: ['socket leave'],
        does: 'leave the office; the servers stay',
        run: async () => {
          if (!computer.status().link) return terminal.out('in no office');
          await seat.leave();
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
interface To {
  readonly url: string;
  readonly office?: string;
  readonly name?: string;
  readonly token?: string;
}
const form = 'connect --url http://127.0.0.1:3000 [--office local] [--name NAME] [--token TOKEN]';
function toOf(rest: string): To {
  const text = { type: 'string' } as const;
  const options = { url: text, office: text, name: text, token: text };
  let values: Partial<To>;
  try {
    ({ values } = parseArgs({ args: wordsIn(rest), options }));
  } catch (error) {
    throw usage(`${form}: ${(error as Error).message}`);
  }
  const { url } = values;
  if (url === undefined || !URL.canParse(url)) throw usage(form);
  return { ...values, url };
}
