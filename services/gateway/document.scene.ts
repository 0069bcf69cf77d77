/** A gateway without services behind it: only its document and reference can be read. */
import type { ProfileName } from './http/domain/profile.ts'
import { buildServer } from './server.ts'
import type { ServerDependencies } from './server-dependencies.ts'

const away: object = new Proxy(() => {}, { get: () => away })
/** A connection that receives no request and is open until the end of the test. */
const nc = { subscribe: () => ({ drain: async () => {} }), closed: () => new Promise<void>(() => {}) }
const bus: object = new Proxy({}, { get: (_, name) => (name === 'nc' ? nc : away) })
const dependencies = new Proxy({} as ServerDependencies, {
  get(_, name) {
    if (name === 'then') return undefined
    if (name === 'bus') return bus
    return name === 'report' ? console.error : away
  },
})

/** The caller must close the server. `known` replaces single ports. */
export const lonelyServer = (profile: ProfileName = 'narrative', known: Partial<ServerDependencies> = {}) =>
  buildServer(
    new Proxy(dependencies, { get: (all, name) => Reflect.get(name in known ? known : all, name) }),
    {
      bodyLimit: 1024 ** 2,
      trustedProxies: [],
      profile,
      deprecationStyle: 'true',
      corsOrigins: [],
      tls: null,
      patience: { requestMs: 30_000, stalledMs: 60_000 },
    },
  )

/** Returns the served document. */
export async function servedDocument(profile?: ProfileName) {
  const app = await lonelyServer(profile)
  const { body } = await app.inject('/openapi.json')
  await app.close()
  return body
}
