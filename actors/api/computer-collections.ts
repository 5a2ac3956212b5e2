import type { AnyEventObject } from 'xstate';
import type {
  DesktopQuery,
  DesktopShown,
  FinderQuery,
  FinderShown,
  PromptFilled,
  ResourceContent,
} from './computer-handle.ts';
import { absentOf, notServing } from './computer-status.ts';
import { closedFailure, A2cError } from '../kernel/errors.ts';
import { deferred, type Deferred } from '../kernel/listeners.ts';
import type { ServerStatus, MissingServer } from '../servers/server-handle.ts';
import { newId } from '../../adapters/clock.ts';
import { type AddressFor, message, type CheckedMessage } from '../../machines/kernel/effects.ts';
import type { Failure } from '../../machines/protocol/failure.ts';
import { withRemedy } from '../../machines/resources/remedies.ts';
import type { AggregateShown, ResourceRead } from '../../machines/resources/collections.ts';
import { collectionOfUri, isOtherUri } from '../../machines/resources/uri-collection.ts';
import type { SkillRef } from '../../machines/protocol/messages/collections.ts';
import type { SkillFile, SkillShown, SkillsShown } from '../../machines/skills/skills.rules.ts';
import type { ResourceCollection } from '../../machines/ports/link.ts';
import { desktopQuestion, finderQuestion } from '../../machines/resources/asked.ts';

type Answer = AggregateShown | ResourceRead | SkillsShown | SkillShown;
const answers: ReadonlySet<string> = new Set([
  'aggregate.shown',
  'resource.read',
  'skills.shown',
  'skill.shown',
] satisfies Answer['type'][]);
interface Machine {
  host(): AddressFor<unknown>;
  /** `onUndelivered` is delivered at once when the computer has ended. */
  send(event: AnyEventObject, onUndelivered: CheckedMessage): void;
  servers(): readonly ServerStatus[];
  /** When a starting server is up or has failed, or after `toolsMs`. */
  settled(server: string): Promise<void>;
}

const errorOfCollection = (failure: Failure): A2cError => new A2cError(withRemedy(failure));

export class CollectionQuestions {
  readonly #machine: Machine;
  readonly #waiting = new Map<string, Deferred<Answer>>();
  #isClosed = false;

  constructor(machine: Machine) {
    this.#machine = machine;
  }
  async desktop({ size, window, fresh }: DesktopQuery = {}): Promise<DesktopShown> {
    const query = desktopQuestion({ size: size ?? null, window: window ?? null, fresh: fresh === true });
    const { body, missing } = await this.#shown('desktop', query);
    const { desktops } = body as Pick<DesktopShown, 'desktops'>;
    return { desktops, missing: this.#withAbsent(missing) };
  }
  async finder(query: FinderQuery = {}): Promise<FinderShown> {
    const { body, missing } = await this.#shown('finder', finderQuestion(query));
    const { documents, total_count } = body as Omit<FinderShown, 'missing'>;
    return { documents, total_count, missing: this.#withAbsent(missing) };
  }
  async readResource(
    uri: string,
    { server }: { readonly server?: string | undefined } = {},
  ): Promise<readonly ResourceContent[]> {
    const found = collectionOfUri(uri);
    if (!found.ok) throw errorOfCollection(found.failure);
    if (server !== undefined && isOtherUri(uri)) await this.#mustServe(server);
    const about = {
      type: 'resource.wanted',
      collection: found.body,
      uri,
      ...(server !== undefined && { server }),
    };
    const { contents } = (await this.#asked(about, 'resource.read')) as ResourceRead;
    return contents;
  }
  async getPrompt(
    server: string,
    name: string,
    values: Readonly<Record<string, string>> = {},
  ): Promise<PromptFilled> {
    await this.#mustServe(server);
    const about = {
      type: 'resource.wanted',
      collection: 'desktop',
      uri: name,
      prompt: { ...values },
      server,
    };
    const { prompt } = (await this.#asked(about, 'resource.read')) as ResourceRead;
    return prompt as PromptFilled;
  }
  async skills(): Promise<readonly SkillRef[]> {
    const { skills } = (await this.#asked({ type: 'skills.wanted' }, 'skills.shown')) as SkillsShown;
    return skills;
  }
  async skill(name: string, relPath: string | undefined): Promise<SkillFile> {
    const about = { type: 'skill.wanted', name, ...(relPath !== undefined && { relPath }) };
    const { file } = (await this.#asked(about, 'skill.shown')) as SkillShown;
    return file as SkillFile;
  }
  /** False for an event that is no answer to an open question. */
  hear(event: AnyEventObject): boolean {
    if (!answers.has(event.type)) return false;
    const answer = event as unknown as Answer;
    this.#waiting.get(answer.ticket)?.resolve(answer);
    return true;
  }
  close(): void {
    this.#isClosed = true;
    for (const waiting of this.#waiting.values()) waiting.reject(errorOfCollection(closedFailure));
  }

  async #mustServe(name: string): Promise<void> {
    await this.#machine.settled(name);
    const status = this.#machine.servers().find((server) => server.name === name);
    if (status?.state !== 'ready')
      throw notServing(
        name,
        status,
        this.#machine.servers().map((server) => server.name),
      );
  }
  async #shown(collection: ResourceCollection, query: object): Promise<AggregateShown> {
    return (await this.#asked(
      { type: 'aggregate.wanted', collection, query },
      'aggregate.shown',
    )) as AggregateShown;
  }
  async #asked(about: AnyEventObject, answer: Answer['type']): Promise<Answer> {
    if (this.#isClosed) throw errorOfCollection(closedFailure);
    const reqId = newId();
    const ticket = `host.${reqId}`;
    const waiting = deferred<Answer>();
    this.#waiting.set(ticket, waiting);
    const to = this.#machine.host();
    const nobody = message<AnyEventObject>(to, { type: answer, ticket, reqId, failure: closedFailure });
    this.#machine.send({ ...about, ticket, reqId, replyTo: to }, nobody);
    try {
      const given = await waiting.promise;
      if (given.failure) throw errorOfCollection(given.failure);
      return given;
    } finally {
      this.#waiting.delete(ticket);
    }
  }
  #withAbsent(missing: readonly MissingServer[]): readonly MissingServer[] {
    const named = new Set(missing.map(({ server }) => server));
    const others = absentOf(this.#machine.servers()).filter(({ server }) => !named.has(server));
    return [...missing, ...others];
  }
}
