/**
 * Assembles the egress proxy, through which machines that run browsers send all requests. It judges every address by
 * the same guard as the fetchers, so that code that escapes a browser still reaches no internal address.
 */
import { readSettings } from '@tidemark/config/settings'
import { countedRoute } from '@tidemark/http/counted-route'
import { openFilteringProxy } from '@tidemark/http/filtering/filtering-proxy'
import { createGuard } from '@tidemark/http/guard'
import { resolverOf } from '@tidemark/http/resolve'
import { createLog } from '@tidemark/telemetry/log'
import { EgressSettings } from './settings.ts'

const username = 'browser'
/** Maximum connections of all fetchers together. */
const maxConnections = 2_048

export type Egress = AsyncDisposable & {
  /** URL of the proxy, in the form `http://host:port`. */
  server: string
}

/** Starts the egress proxy. Rejects with SettingsError, or if the port is in use. */
export async function startService(env: NodeJS.ProcessEnv): Promise<Egress> {
  const settings = readSettings(EgressSettings, env)
  const { EGRESS_HOST: host, EGRESS_PORT: port, EGRESS_PASSWORD: password } = settings
  await using started = new AsyncDisposableStack()
  const proxy = started.use(await openFilteringProxy({ host, port }))
  const route = countedRoute({
    guard: createGuard({ allow: settings.EGRESS_ALLOW, allowPeers: [] }),
    resolver: resolverOf(settings),
    connectTimeoutMs: settings.CONNECT_TIMEOUT_MS,
  })
  started.use(proxy.session({ route, login: { username, password }, maxConnections, maxBytes: Infinity }))
  createLog('egress').info({ server: proxy.server }, 'the egress proxy listens')
  const stack = started.move()
  return { server: proxy.server, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
