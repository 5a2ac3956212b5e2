import type { Computer } from '../../api/computer-handle.ts';
import { createComputer } from '../../api/computer.ts';
import { A2cError } from '../../kernel/errors.ts';
import type { OfficeSeat } from '../../api/seat.ts';

/** Where a computer sits. */
export type Seated = OfficeSeat & { readonly id: string; readonly name: string };

const isSame = (a: Seated, b: Seated): boolean =>
  new URL(a.url).href === new URL(b.url).href && a.id === b.id && a.name === b.name;

/** The seat of the computer of a prompt. It is given up for another one only when that can be had. */
export class PromptSeat {
  readonly #computer: Computer;
  #now: Seated | undefined;

  constructor(computer: Computer, now: Seated) {
    this.#computer = computer;
    this.#now = now;
  }
  /** Undefined: it sits nowhere, and tries no more. */
  get now(): Seated | undefined {
    return this.#computer.status().link ? this.#now : undefined;
  }
  async leave(): Promise<void> {
    await this.#computer.leave();
  }
  /** Rejects with why it cannot sit there; then it sits where it sat. */
  async move(to: Seated): Promise<void> {
    const { now } = this;
    const isJoined = this.#computer.status().link?.state === 'joined';
    if (now && isJoined && isSame(now, to))
      throw new A2cError({ code: 400, message: `it sits in ${to.id} at ${to.url} already` });
    if (now) {
      await tried(to);
      await this.#computer.leave();
    }
    try {
      await this.#computer.join(to);
      this.#now = to;
    } catch (error) {
      // Somebody took it just now. The old one goes on trying by itself.
      if (now) void this.#computer.join(now).catch(() => {});
      throw error;
    }
  }
}
/** A computer without servers takes the seat, and leaves it. */
async function tried(to: Seated): Promise<void> {
  await using other = await createComputer({
    name: to.name,
    config: { mcpServers: {} },
    record: false,
    stateDir: false,
  });
  await other.join(to);
}
