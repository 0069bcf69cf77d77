/**
 * A commit: the events of one decision, appended as one message, so that either all are stored or none.
 *
 * Events outlive the code that wrote them: a new fact gets a new name, and an old name never gets a new meaning.
 * Readers skip names that they do not know.
 */
import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { Timestamp } from './primitives.ts'

/** Returns the schema of an event: its name in the past tense and its data. */
export const fact = <Name extends string, Data extends TProperties>(type: Name, data: Data) =>
  Type.Object({ type: Type.Literal(type), data: Type.Object(data) })

export const commitOf = <Event extends TSchema>(event: Event) =>
  Type.Object({
    at: Timestamp,
    /** W3C traceparent of the request that created the aggregate, if it had one. */
    trace: Type.Optional(Type.String()),
    events: Type.Array(event),
  })

/** The TypeScript type of a commit, for code that is generic in its events. */
export type Commit<Event> = { at: string; trace?: string; events: Event[] }

/** A commit whose events are not parsed: the message of every event stream. */
export const AnyCommit = commitOf(Type.Object({ type: Type.String(), data: Type.Unknown() }))
export type AnyCommit = Static<typeof AnyCommit>

/** Number of earlier deliveries of an order that had no outcome. They belong to the same attempt and have its name. */
export const Again = Type.Optional(Type.Integer({ minimum: 1 }))
