/**
 * The native clients, kept for the next page: each costs a megabyte and some milliseconds to make. One serves one page
 * at a time, with a login of its own at the filtering proxy, so that what it moves is that page's.
 */
import { FetchError } from '@tidemark/http/fetch-error'
import { type Login, newLogin } from '@tidemark/http/filtering-session'
import type { Browser, Impit } from 'impit'

export type FaithfulClient = { impit: Impit; login: Login }

export type FaithfulClients = {
  /** @throws FetchError `not_configured` where its native code cannot be loaded */
  take(face: Browser): Promise<FaithfulClient>
  /** Only one that has nothing under way any more. */
  giveBack(face: Browser, client: FaithfulClient): void
}

const mostKept = 16

/** @param server the filtering proxy's */
export function faithfulClients(server: string): FaithfulClients {
  const kept = new Map<Browser, FaithfulClient[]>()
  const of = (face: Browser) => kept.get(face) ?? kept.set(face, []).get(face) ?? []

  return {
    take: async face => of(face).pop() ?? make(server, face),
    giveBack(face, client) {
      if (of(face).length < mostKept) of(face).push(client)
    },
  }
}

async function make(server: string, browser: Browser): Promise<FaithfulClient> {
  const { Impit } = await load()
  const login = newLogin()
  const proxyUrl = server.replace('//', `//${login.username}:${login.password}@`)
  return { login, impit: new Impit({ browser, proxyUrl, followRedirects: false }) }
}

/** By whoever needs it first. */
const load = () =>
  import('impit').catch(cause => {
    throw new FetchError('not_configured', { because: 'there is no build of impit for this machine', cause })
  })
