/**
 * The proxies of the installation's pools, and how each of them fares: one that only fails is left alone for a while,
 * by everybody.
 */
import type { PoolChoice } from '@tidemark/contracts/run-settings'
import { FetchError } from '@tidemark/http/fetch-error'
import type { ProxyServer } from '@tidemark/http/proxy'
import { type ProxyPools, proxiesOf } from '@tidemark/http/proxy-pools'
import { createRotation } from '../domain/rotation.ts'

/** Held while requests go by it; what is told of it meanwhile counts when it is given back. */
export type TakenMember = Disposable & {
  proxy: ProxyServer
  /** An answer came by it. */
  answered(): void
  /** None came. Returns what is to be told. */
  failed(error: FetchError): FetchError
}

/**
 * One key keeps its member as long as that is well; another attempt begins at the next one.
 * @throws FetchError `proxy`, where there is none now, or never
 */
export type TakeMember = (choice: PoolChoice, order: { key: string; attempt: number }) => TakenMember

export function createPoolMembers(pools: ProxyPools, now = () => performance.now()): TakeMember {
  const rotation = createRotation<ProxyServer>(now)
  return (choice, order) => {
    const name = poolName(choice)
    const members = proxiesOf(pools, choice)
    if (members.length === 0)
      throw new FetchError('proxy', { because: `there is no pool ${name}`, transient: false })
    const picked = rotation.pick(members, order)
    if ('waitMs' in picked) {
      const because = `all of the pool ${name} have failed lately`
      throw new FetchError('proxy', { because, retryAfterMs: picked.waitMs })
    }
    const { member: proxy } = picked
    let well: boolean | null = null
    return {
      proxy,
      answered() {
        well = true
      },
      failed(error) {
        if (error.code === 'connect') well = true // it says so of the target
        if (error.code !== 'proxy') return error
        well = false
        return anotherMayDo(error)
      },
      [Symbol.dispose]: () => rotation.went(proxy, well),
    }
  }
}

export const poolName = ({ pool, country }: PoolChoice): string =>
  country === null ? pool : `${pool} in ${country}`

/** One proxy's failure is not the pool's. */
const anotherMayDo = (cause: FetchError): FetchError =>
  new FetchError('proxy', { because: cause.message, cause, transient: true })
