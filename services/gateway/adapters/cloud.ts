/** Asks the extractor for pages by whatever means, and the fetcher for searches and for what it has to offer. */
import { randomUUID } from 'node:crypto'
import { ask } from '@tidemark/bus/ask'
import { openBulky } from '@tidemark/bus/bulky'
import type { Bus } from '@tidemark/bus/connection'
import type { GetPage, GotPage } from '@tidemark/contracts/ask/cloud'
import type {
  ListScrapers,
  ListScrapersAnswer,
  ScrapeSite,
  ScrapeSiteAnswer,
} from '@tidemark/contracts/ask/scrapers'
import type { CloudState, SearchWeb, SearchWebAnswer } from '@tidemark/contracts/ask/search'
import type { Transform, TransformAnswer } from '@tidemark/contracts/ask/transform'
import { asks } from '@tidemark/contracts/subjects'
import { bytesOf, type Document } from '../domain/cloud/document-input.ts'
import { askCompactly } from './ask-compactly.ts'

/** All throw the `Refusal` of whoever was asked, or `unavailable` when it is away. */
export type Cloud = {
  getPage(question: GetPage): Promise<GotPage>
  search(question: SearchWeb): Promise<SearchWebAnswer>
  state(): Promise<CloudState>
  transform(document: Document, how: Omit<Transform, 'kind' | 'data' | 'bulkyKey'>): Promise<TransformAnswer>
  scrapeSite(question: ScrapeSite): Promise<ScrapeSiteAnswer>
  listScrapers(question: ListScrapers): Promise<ListScrapersAnswer>
}

/** Beyond the time that a page may take: what waits before it, and its reading. */
const spareMs = 15_000
const searchMs = 35_000
/** A vendor may take five seconds to say its balance. */
const stateMs = 8_000
const transformMs = 60_000
const listMs = 5_000
/** Characters of a document above which it goes through the object store. */
const mostInMessage = 1024 ** 2

export function openCloud(bus: Bus): Cloud {
  const bulky = openBulky(bus)
  const compactly = askCompactly(bus)

  return {
    getPage: question => compactly(asks.getPage, question, question.timeoutMs + spareMs),
    search: question => ask(bus, asks.searchWeb, question, { timeoutMs: searchMs }),
    state: () => ask(bus, asks.cloudState, {}, { timeoutMs: stateMs }),
    scrapeSite: question => compactly(asks.scrapeSite, question, question.timeoutMs + spareMs),
    listScrapers: question => compactly(asks.listScrapers, question, listMs),

    async transform(document, how) {
      const { kind, data } = document
      if (data.length <= mostInMessage) {
        return compactly(asks.transform, { ...how, kind, data, bulkyKey: null }, transformMs)
      }
      const bulkyKey = `transform-${randomUUID()}`
      await bulky.put(bulkyKey, bytesOf(document))
      try {
        return await compactly(asks.transform, { ...how, kind, data: null, bulkyKey }, transformMs)
      } catch (error) {
        // Whoever reads it removes it; of one that nobody read, the store is swept.
        bulky.delete(bulkyKey).catch(() => {})
        throw error
      }
    },
  }
}
