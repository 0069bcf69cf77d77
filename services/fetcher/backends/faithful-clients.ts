/**
 * Pools native clients, because each costs a megabyte and some milliseconds to create. A client serves one page at a
 * time, with its own login at the filtering proxy, so that its traffic is attributed to that page.
 */
import { FetchError } from '@tidemark/http/fetch-error'
import { type Login, newLogin } from '@tidemark/http/filtering/filtering-session'
import type { Browser, Impit } from 'impit'

export type FaithfulClient = { impit: Impit; login: Login }

export type FaithfulClients = {
  /** Returns a client that is not in use. @throws FetchError `not_configured` if the native code cannot be loaded */
  take(profile: Browser): Promise<FaithfulClient>
  /** Returns a client to the pool. It must have no request in flight. */
  giveBack(profile: Browser, client: FaithfulClient): void
}

const maxKept = 16

/**
 * Returns an empty pool.
 * @param server URL of the filtering proxy
 */
export function faithfulClients(server: string): FaithfulClients {
  const kept = new Map<Browser, FaithfulClient[]>()
  const of = (profile: Browser) => kept.get(profile) ?? kept.set(profile, []).get(profile) ?? []

  return {
    take: async profile => of(profile).pop() ?? make(server, profile),
    giveBack(profile, client) {
      if (of(profile).length < maxKept) of(profile).push(client)
    },
  }
}

async function make(server: string, browser: Browser): Promise<FaithfulClient> {
  const { Impit } = await load()
  const login = newLogin()
  const proxyUrl = server.replace('//', `//${login.username}:${login.password}@`)
  return { login, impit: new Impit({ browser, proxyUrl, followRedirects: false }) }
}

/** Returns the native module, which the first call loads. */
const load = () =>
  import('impit').catch(cause => {
    throw new FetchError('not_configured', { because: 'there is no build of impit for this machine', cause })
  })
