/** An answer of another type (no Redis, a proxy that mixed up answers) is an error of its request alone. */
import { z } from 'zod';
import { jsonIn } from '../../machines/protocol/json.ts';
import type { ClaimAnswer, Holder, NodeMessage, RegisterNews } from '../../machines/office/rooms/register.ts';

const text = z.string();
const number = z.number();
const id = number;
const body = z.custom<object>((value) => typeof value === 'object' && value !== null);
const seat = z.object({ office: text, role: z.enum(['agent', 'computer']), name: text });
const holder = z.object({ node: text, socket: text, seat, version: text.optional(), fence: number });

const message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ask'), id, socket: text, fence: number, event: text, body }),
  z.object({ type: z.literal('answer'), id, ack: z.array(z.unknown()).optional() }),
  z.object({ type: z.literal('check'), ids: z.array(id) }),
  z.object({ type: z.literal('lost'), id }),
  z.object({ type: z.literal('notify'), socket: text, event: text, body }),
  z.object({ type: z.literal('broadcast'), office: text, except: text, event: text, body }),
]) as z.ZodType<NodeMessage>;
/** A large one carries the key under which it is stored. */
export type Letter = z.infer<typeof letter>;
const letter = z.tuple([text, z.union([message, text])]);
const news = z.discriminatedUnion('type', [
  z.object({ type: z.literal('taken'), holder }),
  z.object({ type: z.literal('freed'), seat, fence: number }),
  z.object({ type: z.literal('ended'), node: text }),
]) as z.ZodType<RegisterNews>;

const written = text.transform(jsonIn).pipe(holder) as unknown as z.ZodType<Holder>;
const claimed = z.union([
  z.tuple([z.literal('held'), number]).transform(([, fence]) => ({ ok: true as const, fence })),
  z.tuple([z.literal('taken'), written]).transform(([, one]) => ({ ok: false as const, holder: one })),
  z.tuple([z.literal('ended')]).transform(() => ({ ok: false as const })),
]) as unknown as z.ZodType<ClaimAnswer>;
const renewed = z
  .tuple([number, number, number])
  .transform(([lease, ageMs, since]) => ({ lease, ageMs, since }));

export const answers = {
  claimed,
  renewed,
  texts: z.array(text),
  lives: z.array(text.nullable()),
  holders: z.array(z.union([written, z.unknown().transform(() => undefined)])),
  place: z.union([z.null().transform(() => 'nobody' as const), written]),
  number,
  letter,
  news: text.transform(jsonIn).pipe(news),
} as const;
