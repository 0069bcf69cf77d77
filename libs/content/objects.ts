/**
 * Bodies whose bytes lie outside of Postgres, as objects: the port that a store of objects is behind, and how objects
 * are named.
 *
 * A name is given once. It is made of the body's hash and of chance, so a body that is stored again, by another process
 * or after it was swept, is another object; and no object is ever written twice, not even by a second try. So whoever
 * removes an object can never meet one that is being stored at that moment, and nobody needs conditional writes, which
 * not every store has.
 */
import { randomBytes } from 'node:crypto'

export type Objects = {
  /** Tried once. Rejects with `BodiesAway`, also where it is not known whether the object is there now, or `BodyTooLarge`. */
  put(name: string, data: Buffer): Promise<void>
  /** Null where there is none. Rejects with `BodiesAway`. */
  get(name: string): Promise<Buffer | null>
  /** Also where there is none. Rejects with `BodiesAway`. */
  remove(name: string): Promise<void>
  /** Names in their order, after this one; at most `limit`, and none at the end. Rejects with `BodiesAway`. */
  list(after: string, limit: number): Promise<string[]>
  /** Rejects with `BodiesAway` where the store does not answer, or refuses. */
  look(): Promise<void>
  /** Lets go of its connections. */
  close(): void
}

/** The store does not answer, or refuses; by its name it is known as a cause (`libs/bus/cause.ts`). */
export class BodiesAway extends Error {
  override readonly name = 'BodiesAway'
}

/** The store takes no object of that size, and never will. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
}

/** Before every name. */
export const prefix = 'bodies/'
const bytesOfChance = 9

/** A new one at each call, also for a body that was there before. */
export const nameFor = (hash: Buffer): string =>
  `${prefix}${hash.toString('hex')}/${randomBytes(bytesOfChance).toString('base64url')}`

/** Put or removed at once by one call; there are few of these at a time. */
const lanes = 16

/**
 * Does one after the other, so many at once, until one fails: what was not begun by then is left.
 * @returns those that were done, and why no more were
 */
export async function inLanes<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
): Promise<{ done: Item[]; failure: unknown }> {
  const left = items.values()
  const done: Item[] = []
  let failure: unknown = null
  async function lane(): Promise<void> {
    for (const item of left) {
      try {
        await act(item)
        done.push(item)
      } catch (error) {
        failure ??= error
      }
      if (failure !== null) return
    }
  }
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane))
  return { done, failure }
}
