/** The content store of a simulation, which all extractors share. It loses a few pages. */
import { hash } from 'node:crypto'
import type { StoredPage } from '@tidemark/content/statements'
import type { Content } from '@tidemark/content/store'
import {
  responseFacts,
  type StoredPages,
  type StoredResponse,
} from '../../../services/extractor/adapters/stored-pages.ts'

/** Carries out a call of a process at the store. */
type Call = <T>(what: string, act: () => T) => Promise<T>

const maxSmallBytes = 64 * 1024

export class Contents {
  readonly #pages = new Map<string, StoredPage>()

  /** Returns the adapters of a process. */
  open(call: Call): { store: Pick<Content, 'storePages'>; storedPages: StoredPages } {
    return {
      store: {
        storePages: pages =>
          call('store pages', () => {
            for (const page of pages) this.#pages.set(`${page.runId} ${page.urlKey}`, page)
          }),
      },
      storedPages: {
        readSmall: pages =>
          call('read stored pages', () => {
            const found = pages.flatMap(page => this.#read(page) ?? [])
            return new Map(
              found.filter(({ asSent }) => asSent.byteLength <= maxSmallBytes).map(one => [one.of, one]),
            )
          }),
        read: page => call('read a stored page', () => this.#read(page)),
      },
    }
  }

  #read(page: Parameters<StoredPages['read']>[0]): (StoredResponse & { of: typeof page }) | null {
    const { storedIn, key } = page
    const isLost = Number.parseInt(hash('sha256', `${storedIn} ${key}`).slice(0, 2), 16) % 8 === 0
    const stored = isLost ? undefined : this.#pages.get(`${storedIn} ${key}`)
    if (!stored?.body) return null
    const { contentType, metadata, headers, body } = stored
    return {
      of: page,
      page: {
        ...page,
        ...{ contentType, encodings: body.encodings },
        ...responseFacts(metadata),
        ...(headers !== undefined && { headers }),
      },
      asSent: body.data,
      picture: null,
    }
  }
}
