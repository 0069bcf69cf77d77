/**
 * Chooses proxies from the installation's pools and tracks their health. A proxy that fails repeatedly is skipped for
 * a while by all runs.
 */
import type { PoolChoice } from '@tidemark/contracts/run-settings'
import { FetchError } from '@tidemark/http/fetch-error'
import { ProxyRefusal } from '@tidemark/http/proxies/proxy-refusal'
import type { ProxyServer } from '@tidemark/http/proxy'
import { type ProxyPools, proxiesOf } from '@tidemark/http/proxy-pools'
import { createRotation, type Refusal } from '../domain/rotation.ts'

/** A proxy in use. Its reported result counts when it is disposed. */
export type TakenMember = Disposable & {
  proxy: ProxyServer
  /** Reports that a response came through the proxy. */
  succeeded(): void
  /** Reports that no response came. Returns the error for the run. */
  failed(error: FetchError): FetchError
}

/**
 * Chooses a proxy of a pool. Requests with the same key use the same proxy as long as it works. The next attempt starts
 * at the next proxy. `project` is the project that the request counts for, if it is known.
 * @throws FetchError `proxy` if no proxy is available now, or none exists
 */
export type TakeMember = (
  choice: PoolChoice,
  order: { key: string; attempt: number },
  project: number | undefined,
) => TakenMember

export function createPoolMembers(pools: ProxyPools): TakeMember {
  const rotation = createRotation<ProxyServer>(() => performance.now())
  /** The last refusal of a proxy, by the name of the pool. */
  const refusals = new Map<string, string>()
  return (choice, order, project) => {
    const name = poolName(choice)
    const members = proxiesOf(pools, choice)
    if (members.length === 0)
      throw new FetchError('proxy', { because: `PROXY_POOLS has no pool ${name}`, transient: false })
    const picked = rotation.pick(members, order)
    if ('waitMs' in picked) {
      const refusal = refusals.get(name)
      const because = `all proxies of the pool ${name} failed recently${refusal ? `; of the last one: ${refusal}` : ''}`
      throw new FetchError('proxy', { because, retryAfterMs: picked.waitMs })
    }
    const { member: proxy } = picked
    let result: boolean | Refusal | null = null
    return {
      proxy,
      succeeded() {
        result = true
      },
      failed(error) {
        if (error.code === 'connect') result = true // the proxy reports a failure of the target
        if (error.code !== 'proxy') return error
        if (!isPolicy(error.cause)) result = false
        // The proxy works if it refused only the target of a redirect.
        else result = error.hops.length > 0 || { host: hostOf(error.target), project }
        if (result === false && error.cause instanceof ProxyRefusal) refusals.set(name, error.cause.message)
        return anotherMayDo(error)
      },
      [Symbol.dispose]: () => rotation.went(proxy, result),
    }
  }
}

export const poolName = ({ pool, country }: PoolChoice): string =>
  country === null ? pool : `${pool} in ${country}`

/** Returns the host of a target, which is a URL or a host with a port. */
const hostOf = (target: string): string =>
  (target.includes('://') && URL.parse(target)?.hostname) || target.replace(/:\d+$/, '')

const isPolicy = (cause: unknown): boolean => cause instanceof ProxyRefusal && cause.kind === 'policy'

/** Returns the error as transient, because another proxy of the pool may succeed. The refusal remains its cause. */
const anotherMayDo = (error: FetchError): FetchError =>
  new FetchError('proxy', { because: error.message, cause: error.cause ?? error, transient: true })
