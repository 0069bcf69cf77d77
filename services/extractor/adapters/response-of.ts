/** Gets the response of a page with its body and screenshot, from the fetcher or from the store. */
import { hash } from 'node:crypto'
import type { StoredPicture } from '@tidemark/content/pictures'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { staleCopy } from '@tidemark/contracts/work/revisit'
import type { Bodies } from './bodies.ts'
import type { Arrived } from './read-frame.ts'
import type { StoredPages } from './stored-pages.ts'

export type ResponsePorts = {
  bodies: Bodies
  /** The pages of earlier runs, for forks. Null: none are read. */
  storedPages: Pick<StoredPages, 'read'> | null
}

type Response = { page: FetchedPage; asSent: Buffer; picture: StoredPicture | null }

/** Returns the response, or why its body is lost. */
export async function responseOf(
  { bodies, storedPages }: ResponsePorts,
  arrived: Arrived,
): Promise<Response | { lost: string }> {
  const { page } = arrived
  const { storedIn, pictureKey } = page
  if (storedIn !== undefined) {
    const found = arrived.stored ?? (await storedPages?.read(page)) ?? null
    return found === null ? { lost: staleCopy } : { ...found, picture: pictureOf(page, found.picture) }
  }
  const asSent = await bodies.get(arrived)
  if (asSent === null) return { lost: 'body_lost' }
  const data = pictureKey === undefined ? null : await bodies.picture(pictureKey)
  return { page, asSent, picture: pictureOf(page, data) }
}

/** Returns null also for a screenshot that is deleted. */
const pictureOf = ({ runId, key: urlKey }: FetchedPage, data: Buffer | null): StoredPicture | null =>
  data && { runId, urlKey, hash: hash('sha256', data, 'buffer'), data }
