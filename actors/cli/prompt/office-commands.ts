import { InvalidArgumentError } from 'commander';
import type { Computer } from '../../api/computer-handle.ts';
import { createComputer } from '../../api/computer.ts';
import type { OfficeSeat } from '../../api/seat.ts';
import type { CommandContext } from '../context.ts';
import { credentialBy } from '../entry.ts';
import { usage, type PromptCommand, type PromptCommands } from './commands.ts';
import { badRequest } from '../../kernel/errors.ts';
import type { Fact } from '../../../machines/facts.ts';

interface OfficeAsked {
  readonly url: string;
  readonly office?: string;
  readonly name?: string;
  readonly token?: string;
}
export function addOffice(
  commands: PromptCommands,
  { terminal }: CommandContext,
  computer: Computer,
  seat: PromptSeat,
  tell: (fact: Fact) => void,
): void {
  const add = (names: readonly [string, ...string[]], description: string): PromptCommand =>
    commands.add('Office', names, description);
  /** Named by `socket connect`, for the later `socket join`. */
  let asked: string | undefined;
  const move = async (to: OfficeAsked): Promise<void> => {
    const { url, office: id = 'local', name = computer.name } = to;
    await seat.move({ url, id, name, ...credentialBy(to) });
    terminal.out(`joined ${id} at ${url}${name === computer.name ? '' : ` as ${name}`}`);
    tell({ type: 'office', url, office: id, name });
  };
  add(['connect'], 'take a seat in this office, and leave the old one once it is had')
    .requiredOption('--url <url>', 'the office, such as http://127.0.0.1:3000', addressOf)
    .option('--office <id>', 'id of the office (default: local)')
    .option('--name <name>', 'name to sit there under (default: that of this computer)')
    .option('--token <token>', 'what the office asks for (safer: the variable A2C_TOKEN)')
    .is({ isPrivate: true })
    .does(move);
  add(['socket connect'], 'name the office whose room is joined next')
    .argument('<url>', 'such as http://127.0.0.1:3000', addressOf)
    .does((url: string) => {
      asked = url;
      terminal.out(`next: socket join OFFICE ${computer.name}`);
    });
  add(['socket join'], 'take a seat there')
    .argument('<office>')
    .argument('[name]', 'name to sit there under (default: that of this computer)')
    .does(async (office: string, name?: string) => {
      if (asked === undefined) throw usage('socket connect URL, then socket join OFFICE');
      await move({ url: asked, office, ...(name !== undefined && { name }) });
    });
  add(['socket leave'], 'leave the office; the servers stay').does(async () => {
    if (!computer.status().link) return terminal.out('in no office');
    await seat.leave();
    terminal.out('left the office');
  });
  add(['notify update'], 'tell the office of changes, which happens by itself').does(() =>
    terminal.out('an office is told of each change by itself'),
  );
}
function addressOf(text: string): string {
  if (URL.canParse(text)) return text;
  throw new InvalidArgumentError('a URL such as http://127.0.0.1:3000');
}

type Seated = OfficeSeat & { readonly id: string; readonly name: string };

const isSame = (a: Seated, b: Seated): boolean =>
  new URL(a.url).href === new URL(b.url).href && a.id === b.id && a.name === b.name;

/** The seat is given up only after another one was tried with success. */
export class PromptSeat {
  readonly #computer: Computer;
  #now: Seated | undefined;

  constructor(computer: Computer, now: Seated) {
    this.#computer = computer;
    this.#now = now;
  }
  get now(): Seated | undefined {
    return this.#computer.status().link ? this.#now : undefined;
  }
  async leave(): Promise<void> {
    await this.#computer.leave();
  }
  /** Rejects when the office refuses the seat; the computer then keeps its old seat. */
  async move(to: Seated): Promise<void> {
    const { now } = this;
    const isJoined = this.#computer.status().link?.state === 'joined';
    if (now && isJoined && isSame(now, to)) throw badRequest(`it sits in ${to.id} at ${to.url} already`);
    if (now) {
      await tried(to);
      await this.#computer.leave();
    }
    try {
      await this.#computer.join(to);
      this.#now = to;
    } catch (error) {
      // Tries to get the old seat back in the background, because another computer has just taken the new one.
      if (now) void this.#computer.join(now).catch(() => {});
      throw error;
    }
  }
}
/** A computer without servers joins the seat and leaves again. */
async function tried(to: Seated): Promise<void> {
  await using other = await createComputer({
    name: to.name,
    config: { mcpServers: {} },
    record: false,
    stateDir: false,
  });
  await other.join(to);
}
