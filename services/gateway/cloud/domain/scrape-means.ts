import type { ScrapeRequest } from '@tidemark/contracts/http/cloud/scrape'
import type { BackendChoice } from '@tidemark/contracts/rpc/backends'
import type { CloudState } from '@tidemark/contracts/rpc/search'
import { refusal } from '../../http/domain/refusal.ts'
import { offeredProxy, proxyFields } from '../../live-pages/domain/proxy-offer.ts'

/**
 * Returns the backends that `POST /v1/cloud/scrape` may use. Warns of ignored fields. Throws `ApiProblem` for proxies
 * that the installation lacks.
 * @param state needed only if the request names proxies, else null
 */
export function scrapeMeans(
  request: ScrapeRequest,
  state: Pick<CloudState, 'proxyPools'> | null,
  warn: (warning: string) => void,
): BackendChoice {
  const { chrome, force_backend, proxy_pool: pool, proxy_country: country, actions = [] } = request
  const isActed = actions.length > 0
  if (isActed && force_backend !== 'auto' && force_backend !== 'local')
    throw refusal('actions', 'conflicting_fields', onlyByBrowser)
  if (force_backend === 'proxy') {
    if (chrome) warn('chrome was ignored, because force_backend proxy runs no scripts')
    const chosen = pool ?? 'isp'
    const offered = offeredProxy(state ?? { proxyPools: [] }, chosen, country, proxyFields)
    return { is: 'proxy', pool: chosen, country: offered }
  }
  if (country !== undefined && pool === undefined)
    throw refusal('proxy_country', 'conflicting_fields', noPool)
  for (const [name, value] of Object.entries({ proxy_pool: pool, proxy_country: country })) {
    if (value !== undefined) warn(`${name} was ignored, because force_backend is not proxy`)
  }
  return isActed ? { is: 'browser' } : means[force_backend](chrome)
}

const means: Record<Exclude<ScrapeRequest['force_backend'], 'proxy'>, (chrome: boolean) => BackendChoice> = {
  auto: chrome => ({ is: 'auto', from: chrome ? 'browser' : 'http', country: null }),
  local: chrome => ({ is: chrome ? 'browser' : 'http' }),
  vendor: () => ({ is: 'vendor', country: null }),
}

const onlyByBrowser = 'actions need the browser of this installation: leave out force_backend, or send local.'

const noPool =
  'proxy_country chooses from a pool: send force_backend proxy and proxy_pool too, or leave it out.'
