/**
 * Bodies outside of Postgres, as objects: the port to an object store, and the names of objects.
 * A name is issued once. It consists of the body's hash and a random part, so a body that is stored again, by another
 * process or after its deletion, is another object. No object is written twice, not even by a retry. So the removal of
 * an object never meets one that is being stored, and conditional writes, which some stores lack, are not needed.
 */
import { randomBytes } from 'node:crypto'

export type Objects = {
  /** Tried once. Rejects with `BodiesAway`, also where it is not known whether the object is there now, or `BodyTooLarge`. */
  put(name: string, data: Buffer): Promise<void>
  /** Returns null without an object. Rejects with `BodiesAway`. */
  get(name: string): Promise<Buffer | null>
  /** Succeeds without an object. Rejects with `BodiesAway`. */
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
 * Runs the tasks with limited concurrency until one fails. Tasks that have not begun by then are left out.
 * @returns the finished tasks, and the failure
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
