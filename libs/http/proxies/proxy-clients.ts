/**
 * Keeps one HTTP client for each proxy in use. Connections are kept by proxy, login and origin, and never shared
 * between proxies. Unused clients are closed after a while, and their number is limited.
 */
import { type ClientSettings, createClient, type HttpClient } from '../client.ts'
import { createConnect } from '../connect.ts'
import { createSecure } from '../connection/secure.ts'
import type { Guard } from '../guard.ts'
import type { ProxyServer } from '../proxy.ts'
import { createProxiedConnect } from './proxied-connect.ts'

/** The party that configured the proxy. The guard judges a customer's proxy, but not one of the operator. */
export type ProxyOwner = 'customer' | 'operator'

/** A client for one task, which disposes it after use. The connections stay open for a while after that. */
export type LentClient = Disposable & { client: HttpClient }

export type ProxyClients = AsyncDisposable & {
  /** Returns the client of a proxy, and opens it if needed. Targets behind the proxy are judged for both owners. */
  lend(proxy: ProxyServer, owner: ProxyOwner): LentClient
  /** Number of clients that are open. */
  readonly size: number
}

type Kept = { client: HttpClient; users: number; idleSince: number }

type Settings = ClientSettings & {
  /** Maximum number of unused clients that are kept. */
  maxIdle?: number
  idleMs?: number
}

/** Returns an empty set of clients. Disposing it closes all clients, including lent ones. */
export function createProxyClients({ maxIdle = 64, idleMs = 60_000, ...settings }: Settings): ProxyClients {
  const kept = new Map<string, Kept>()
  const dials = {
    customer: dialler(settings, forProxies(settings.guard)),
    operator: dialler(settings, anywhere),
  }
  const secure = createSecure(settings.connectTimeoutMs, settings.trust)
  const sweeping = setInterval(sweep, idleMs).unref()

  function open(proxy: ProxyServer, owner: ProxyOwner): Kept {
    const { guard, resolver, connectTimeoutMs: timeoutMs } = settings
    const route = { proxy, dial: dials[owner], secure, guard, resolver, timeoutMs }
    const client = createClient({ ...settings, connect: createProxiedConnect(route) })
    return { client, users: 0, idleSince: 0 }
  }

  function sweep() {
    const idle = [...kept].filter(([, { users }]) => users === 0)
    const since = performance.now() - idleMs
    for (const [at, [key, { client, idleSince }]] of idle.entries()) {
      if (idleSince > since && idle.length - at <= maxIdle) continue
      kept.delete(key)
      void client.close()
    }
  }

  return {
    lend(proxy, owner) {
      const key = `${owner} ${proxy.key}`
      const lent = kept.get(key) ?? open(proxy, owner)
      // The least recently used one comes first.
      kept.delete(key)
      kept.set(key, lent)
      lent.users += 1
      return {
        client: lent.client,
        [Symbol.dispose]() {
          lent.users -= 1
          lent.idleSince = performance.now()
          if (kept.size > maxIdle) sweep()
        },
      }
    },
    get size() {
      return kept.size
    },
    async [Symbol.asyncDispose]() {
      clearInterval(sweeping)
      await Promise.all([...kept.values()].map(({ client }) => client.close()))
      kept.clear()
    },
  }
}

const dialler = ({ resolver, connectTimeoutMs: timeoutMs }: ClientSettings, guard: Guard) =>
  createConnect({ guard, resolver, timeoutMs })

const socksPort = 1080

/** Returns the guard's rules, with the usual port of SOCKS proxies allowed. */
function forProxies({ judge, judgePort, judgeHost }: Guard): Guard {
  return {
    judge: (address, port) => judge(address, port === socksPort ? 443 : port),
    judgePort: port => (port === socksPort ? null : judgePort(port)),
    judgeHost,
  }
}

/** Allows all addresses, for proxies of the operator. */
export const anywhere: Guard = { judge: () => null, judgePort: () => null, judgeHost: () => null }
