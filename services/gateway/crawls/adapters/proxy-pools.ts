/** The proxy pools of this installation, as a request may name them. */
import { poolNames, readProxyPools } from '@tidemark/http/proxy-pools'
import type { ProxyPools } from '../domain/proxy-choice.ts'

/** @param text the setting PROXY_POOLS. Throws where it cannot be read. */
export function proxyPools(text: string): ProxyPools {
  const pools = readProxyPools(text)
  return { names: () => poolNames(pools) }
}
