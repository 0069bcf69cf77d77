/**
 * Reads and writes the position of an event in the stream of its run: the sequence of the commit, and the index of the
 * event in it.
 */

export type EventId = { sequence: number; index: number }

export const textOfId = ({ sequence, index }: EventId): string => `${sequence}-${index}`

/** Returns the position of a text from `textOfId`, or null for other texts. */
export function readEventId(text: string): EventId | null {
  const [, sequence, index] = /^([1-9]\d{0,15})-(0|[1-9]\d{0,8})$/.exec(text) ?? []
  const id = { sequence: Number(sequence), index: Number(index) }
  return Number.isSafeInteger(id.sequence) && Number.isSafeInteger(id.index) ? id : null
}

/** Returns whether the first position is after the second. Every position is after null. */
export function isAfter(one: EventId, other: EventId | null): boolean {
  if (other === null || one.sequence > other.sequence) return true
  return one.sequence === other.sequence && one.index > other.index
}
