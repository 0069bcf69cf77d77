/** Location of a page's body: in its message, or in the object store if it is too large for a message. */
import type { Bulky } from '@tidemark/bus/bulky'
import { bufferOf } from '../domain/buffer-of.ts'
import type { Arrived } from './read-frame.ts'

export type Bodies = {
  /** Returns the body as sent, or null if the object store has deleted it. Throws while the store is unavailable. */
  get(arrived: Arrived): Promise<Buffer | null>
  /** Returns a screenshot by its key. Otherwise like `get`. */
  picture(key: string): Promise<Buffer | null>
  /** Marks the page as done: its body is not needed for a redelivery. */
  forget(bulkyKey: string): Promise<void>
}

export function createBodies(bulky: Bulky): Bodies {
  const read = async (key: string) => {
    const bytes = await bulky.get(key)
    return bytes && bufferOf(bytes)
  }
  return {
    get: async ({ page, blob }) => (page.bulkyKey === null ? bufferOf(blob) : read(page.bulkyKey)),
    picture: read,
    forget: key => bulky.delete(key),
  }
}
