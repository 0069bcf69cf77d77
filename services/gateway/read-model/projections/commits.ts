/**
 * Reads the commits of a stream for a projection, which no event may stop: unknown event types are skipped, and an
 * event that violates its schema is reported and skipped. An unreadable message is dead-lettered by the projection.
 * Only the fields that the projection uses are checked, so events from before the addition of others stay readable.
 */
import { compiledAtFirstUse, decodeJson, Unreadable } from '@tidemark/bus/codec'
import type { StreamMessage } from '@tidemark/bus/read'
import { AnyCommit } from '@tidemark/contracts/commit'
import { type TObject, type TSchema, type TUnion, Type } from 'typebox'
import type { Validator } from 'typebox/compile'

type Fact = { type: string; data: object }
type DataOf<Event extends Fact, Name> = Extract<Event, { type: Name }>['data']

/** The names of the events that a projection reads, and of the fields it uses. */
export type Needs<Event extends Fact> = { [N in Event['type']]?: readonly (keyof DataOf<Event, N>)[] }

export type ReadEvent<Event> = {
  subject: string
  /** Sequence of the commit in its stream. */
  sequence: number
  at: string
  trace: string | undefined
  event: Event
}
export type Report = (error: unknown) => void

/** Returns a reader of the needed events, one after the other. It throws `Unreadable` for an invalid message. */
export function commitReader<Event extends Fact>(
  union: TUnion,
  needs: Needs<Event>,
  report: Report,
): (messages: readonly StreamMessage[]) => Generator<ReadEvent<Event>> {
  const commits = compiledAtFirstUse(AnyCommit)
  const events = new Map(
    Object.entries(needs).map(([name, fields]) => [
      name,
      compiledAtFirstUse(dataOf(union, name, fields as string[])),
    ]),
  )

  return function* read(messages) {
    for (const { subject, sequence, data } of messages) {
      const commit = parse(data)
      for (const event of commit.events) {
        if (isReadable(events.get(event.type)?.(), event, `message ${sequence} on ${subject}`))
          yield {
            subject,
            sequence,
            at: commit.at,
            trace: commit.trace,
            event: event as unknown as Event,
          }
      }
    }
  }

  function parse(data: Uint8Array): AnyCommit {
    const commit = decodeJson(data)
    if (commits().Check(commit)) return commit
    throw new Unreadable('no commit')
  }

  function isReadable(schema: Validator | undefined, event: AnyEvent, subject: string): boolean {
    if (schema === undefined) return false
    const { type } = event
    if (schema.Check(event.data)) return true
    report(new Error(`${type} in ${subject} is not what its schema says`))
    return false
  }
}

type AnyEvent = AnyCommit['events'][number]
type Named = TSchema & { properties: { type: { const: string }; data: TObject } }

/** Returns the schema of the used fields of an event's data. */
function dataOf({ anyOf }: TUnion, name: string, fields: readonly string[]): TSchema {
  const schema = (anyOf as Named[]).find(({ properties }) => properties.type.const === name)
  if (schema === undefined) throw new Error(`${name} is not in the contract`)
  return Type.Pick(schema.properties.data, fields as never)
}
