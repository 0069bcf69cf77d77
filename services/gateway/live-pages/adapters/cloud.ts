/** Sends requests for pages to the extractor, and requests for searches and for the state of the backends to the fetcher. */
import { randomUUID } from 'node:crypto'
import { openBulky } from '@tidemark/bus/bulky'
import type { Bus } from '@tidemark/bus/connection'
import { Refusal } from '@tidemark/bus/refusal'
import { call } from '@tidemark/bus/rpc'
import type { GetPage, GotPage } from '@tidemark/contracts/rpc/cloud'
import * as cloudRpc from '@tidemark/contracts/rpc/cloud'
import type {
  ListScrapers,
  ListScrapersResponse,
  ScrapeSite,
  ScrapeSiteResponse,
} from '@tidemark/contracts/rpc/scrapers'
import * as scrapersRpc from '@tidemark/contracts/rpc/scrapers'
import type { CloudState, SearchWeb, SearchWebResponse } from '@tidemark/contracts/rpc/search'
import * as searchRpc from '@tidemark/contracts/rpc/search'
import type { Transform, TransformResponse } from '@tidemark/contracts/rpc/transform'
import * as transformRpc from '@tidemark/contracts/rpc/transform'
import { bytesOf, type Document } from '../domain/document-input.ts'

/**
 * Returns the refusal of a request with actions without `Retry-After`, unless the request did not begin. Clients repeat
 * a request after `Retry-After`, but its actions may already have run, for example sent a form.
 */
function onlyOnce(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.retryAfterSeconds === undefined) return error
  if (error.reason === 'concurrent_requests') return error
  const { retryAfterSeconds: _, message, ...refused } = error.toJSON()
  const more = 'Some actions may have run: check their effect before you send the request again.'
  return new Refusal({ ...refused, message: `${message} ${more}` }, { cause: error })
}

/** Every method throws the `Refusal` of the service that responds, or `unavailable` if none does. */
export type Cloud = {
  getPage(request: GetPage): Promise<GotPage>
  search(request: SearchWeb): Promise<SearchWebResponse>
  state(): Promise<CloudState>
  transform(
    document: Document,
    how: Omit<Transform, 'kind' | 'data' | 'bulkyKey'>,
  ): Promise<TransformResponse>
  scrapeSite(request: ScrapeSite): Promise<ScrapeSiteResponse>
  listScrapers(request: ListScrapers): Promise<ListScrapersResponse>
}

/** Time beyond the timeout of a page: for its queue and for reading it. */
const spareMs = 15_000
const searchMs = 35_000
/** A vendor may take five seconds to return its balance. */
const stateMs = 8_000
const transformMs = 60_000
const listMs = 5_000
/** Maximum characters of a document in a message. Longer ones go through the object store. */
const maxInMessage = 1024 ** 2

export function openCloud(bus: Bus): Cloud {
  const bulky = openBulky(bus)

  return {
    getPage: request =>
      call(bus, cloudRpc.getPage, request, { timeoutMs: request.timeoutMs + spareMs }).catch(error => {
        throw request.actions?.length ? onlyOnce(error) : error
      }),
    search: request => call(bus, searchRpc.searchWeb, request, { timeoutMs: searchMs }),
    state: async () => {
      const limit = { timeoutMs: stateMs }
      const [state, rendering] = await Promise.all([
        call(bus, searchRpc.cloudState, {}, limit),
        call(bus, searchRpc.browserState, {}, limit).catch(() => ({ browser: false })),
      ])
      return { ...state, browser: state.browser || rendering.browser }
    },
    scrapeSite: request =>
      call(bus, scrapersRpc.scrapeSite, request, { timeoutMs: request.timeoutMs + spareMs }),
    listScrapers: request => call(bus, scrapersRpc.listScrapers, request, { timeoutMs: listMs }),

    async transform(document, how) {
      const { kind, data } = document
      const transformed = (where: Pick<Transform, 'data' | 'bulkyKey'>) =>
        call(bus, transformRpc.transform, { ...how, kind, ...where }, { timeoutMs: transformMs })
      if (data.length <= maxInMessage) return transformed({ data, bulkyKey: null })
      const bulkyKey = `transform-${randomUUID()}`
      await bulky.put(bulkyKey, bytesOf(document))
      return transformed({ data: null, bulkyKey }).catch(error => {
        // The extractor deletes what it reads. A sweep of the store deletes an object that remains.
        bulky.delete(bulkyKey).catch(() => {})
        throw error
      })
    },
  }
}
