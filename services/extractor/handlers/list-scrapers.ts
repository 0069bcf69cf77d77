/** Lists the scrapers in the order of their domains. */
import type { ListScrapers, ListScrapersResponse } from '@tidemark/contracts/rpc/scrapers'
import type { Scrapers } from '../domain/scrapers/order.ts'

export function listScrapers(scrapers: Scrapers) {
  const all = [...scrapers.values()].map(({ domain, routes, dataShape }) => ({
    domain,
    paths: routes.map(({ path }) => path),
    dataShape,
  }))
  return async ({ offset, limit }: ListScrapers): Promise<ListScrapersResponse> => ({
    scrapers: all.slice(offset, offset + limit),
    total: all.length,
  })
}
