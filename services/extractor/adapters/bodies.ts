/** Where a page's body lies: in its message, or in the object store when it was too large for one. */
import type { Bulky } from '@tidemark/bus/bulky'
import type { Arrived } from './read-frame.ts'

export type Bodies = {
  /** The body as it was sent, or null where the object store has it no more. Throws while the store is away. */
  get(arrived: Arrived): Promise<Buffer | null>
  /** The page is done: its body need not be kept for another delivery. */
  forget(bulkyKey: string): Promise<void>
}

export const createBodies = (bulky: Bulky): Bodies => ({
  async get({ page, blob }) {
    const bytes = page.bulkyKey === null ? blob : await bulky.get(page.bulkyKey)
    return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  },
  forget: key => bulky.delete(key),
})
