/**
 * The port of an object store for the bodies of pages, and the names of its objects.
 *
 * A name is used once. It consists of the body's hash and random bytes, so a body that is stored again, by another
 * process or after it was swept, is another object. No object is ever written twice, not even by a retry. A process
 * that removes an object therefore never meets one that is being stored at that moment, and no conditional writes are
 * needed, which not every store supports.
 */
import { randomBytes } from 'node:crypto'

export type Objects = {
  /**
   * Puts an object, in one attempt. Rejects with `BodiesAway`, also if it is unknown whether the object exists now,
   * or with `BodyTooLarge`.
   */
  put(name: string, data: Buffer): Promise<void>
  /** Returns an object, or null if it does not exist. Rejects with `BodiesAway`. */
  get(name: string): Promise<Buffer | null>
  /** Removes an object, if it exists. Rejects with `BodiesAway`. */
  remove(name: string): Promise<void>
  /** Returns at most `limit` names in order, after this one, and none at the end. Rejects with `BodiesAway`. */
  list(after: string, limit: number): Promise<string[]>
  /** Probes the store. Rejects with `BodiesAway` if it does not respond, or if it rejects the request. */
  probe(): Promise<void>
  /** Closes its connections. */
  close(): void
}

/** Reports that the store does not respond, or rejects requests. `libs/bus/cause.ts` recognizes it by its name. */
export class BodiesAway extends Error {
  override readonly name = 'BodiesAway'
}

/** Reports that the store has lost an object of a stored page. */
export class BodyMissing extends Error {
  override readonly name = 'BodyMissing'
}

/** Reports that the store never accepts an object of that size. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
}

/** Prefix of every name. */
export const prefix = 'bodies/'
const randomByteCount = 9

/** Returns a new name at each call, also for a known body. */
export const nameFor = (hash: Buffer): string =>
  `${prefix}${hash.toString('hex')}/${randomBytes(randomByteCount).toString('base64url')}`

/** Maximum concurrent requests of one call. There are few calls at a time. */
const lanes = 16

/**
 * Runs an action for each item, `lanes` at a time, until one fails. Items that have not started by then are skipped.
 * @returns The items that were done, and the failure or null.
 */
export async function forEachConcurrently<Item>(
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
