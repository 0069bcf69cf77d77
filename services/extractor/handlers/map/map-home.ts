/** The home page of a map: its final URL and its links. */
import type { Scope } from '@tidemark/contracts/run'
import { maxPageRedirects } from '@tidemark/contracts/work/redirects'
import { FetchError } from '@tidemark/http/fetch-error'
import { normalForm } from '@tidemark/url/normal-form'
import { scopeOf } from '@tidemark/url/scope'
import { decodeStart } from '../../adapters/decode-start.ts'
import type { Failed, Fetched } from '../../adapters/fetch-now.ts'
import { inSteps } from '../../concurrency/in-steps.ts'
import { factsOf } from '../../domain/facts.ts'
import type { Named } from '../../domain/map-join.ts'
import type { Visits } from './map-visits.ts'

export type Home = {
  /** The final URL, or the expected URL if the fetch failed, in normal form. */
  url: string
  scope: Scope
  status: number | null
  /** Why the fetch failed, or null. */
  failed: Pick<Failed, 'reason' | 'message'> | null
  /** The vendor of the challenge that the site showed instead of its page. */
  challenge: string | null
  /** Whether the page exceeds the read limit. */
  isCut: boolean
  /** The page and its links in scope. */
  named: Named[]
  /** Distinct links to any site. */
  links: number
}

/** Maximum bytes of the home page that are read. Links beyond it are left to crawls. */
const maxRead = 2 * 1024 ** 2

type Options = {
  subdomains: boolean
  /** The product token by which X-Robots-Tag may address this crawler. */
  robotsToken: string
}

export async function readHome({ visit }: Visits, url: string, options: Options): Promise<Home> {
  const { subdomains } = options
  using answer = await visit(url, { maxHops: maxPageRedirects, maxBytes: maxRead })
  if (answer.is === 'left_out')
    return homeless(url, subdomains, { reason: 'timeout', message: answer.because })
  if (answer.is === 'failed') return homeless(url, subdomains, answer)
  try {
    return await read(answer, options)
  } catch (thrown) {
    const { code: reason, message } = FetchError.from(thrown)
    return { ...homeless(answer.url, subdomains, { reason, message }), status: answer.status }
  }
}

/** Returns the result for a home page that was not read. */
export const homeless = (url: string, subdomains: boolean, failed: Home['failed']): Home => ({
  url: normalForm(url) ?? url,
  scope: scopeOf(url, subdomains),
  status: null,
  failed,
  challenge: null,
  isCut: false,
  named: [],
  links: 0,
})

/** Throws FetchError when the body cannot be decoded. */
async function read(answer: Fetched, { subdomains, robotsToken }: Options): Promise<Home> {
  const { status } = answer
  const url = normalForm(answer.url) ?? answer.url
  const scope = scopeOf(url, subdomains)
  const { bytes: body, isWhole } = await decodeStart(answer.body, answer.encodings, maxRead)
  const facts = await inSteps(factsOf({ ...answer, url, scope }, body, '', robotsToken))
  const titles = new Map<string, string>()
  for (const { href, anchor } of facts.edges) if (!titles.get(href)) titles.set(href, anchor)
  const links = titles.size
  const isThere = status >= 200 && status <= 299 && facts.challenge === null
  const itself = isThere ? [{ url, title: facts.title ?? '' }] : []
  const linked = facts.links.map(([, link]) => ({ url: link, title: titles.get(link) ?? '' }))
  return {
    ...homeless(url, subdomains, null),
    status,
    challenge: facts.challenge,
    isCut: !isWhole || body.length >= maxRead,
    named: [...itself, ...linked],
    links,
  }
}
