/** Location of a page's body: in its message, or in the object store if it is too large for a message. */
import type { Bulky } from '@tidemark/bus/bulky'
import type { Arrived } from './read-frame.ts'

export type Bodies = {
  /** Returns a screenshot by its key. Otherwise like `get`. */
  picture(key: string): Promise<Buffer | null>
  /** Returns the body as sent, or null if the object store has deleted it. Throws while the store is unavailable. */
  get(arrived: Arrived): Promise<Buffer | null>
  /** Marks the page as done: its body is not needed for a redelivery. */
  forget(bulkyKey: string): Promise<void>
}

export const createBodies = (bulky: Bulky): Bodies => ({
  async get({ page, blob }) {
    const bytes = page.bulkyKey === null ? blob : await bulky.get(page.bulkyKey)
    return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  },
  async picture(key) {
    const bytes = await bulky.get(key)
    return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  },
  forget: key => bulky.delete(key),
})
