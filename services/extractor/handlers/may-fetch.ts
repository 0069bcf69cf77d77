/** Whether a site's robots.txt lets a page be fetched, asked before the page is (RFC 9309). */
import { FetchError } from '@tidemark/http/fetch-error'
import { productTokenOf } from '@tidemark/robots/token'
import { verdictOn } from '../domain/site-policy.ts'
import { refusalOf } from './fetch-refusal.ts'
import type { ReadSiteFile } from './site-files.ts'

type Ports = {
  readSiteFile: ReadSiteFile
  /** The product token that we are addressed by, unless the client gives itself a name. */
  robotsToken: string
}

type Asked = { workId: number; url: string; userAgent?: string | undefined; timeoutMs: number }

/** Throws a `Refusal`: `robots` for what is forbidden, else why the site could not be asked. */
export async function insistOnLeave(
  { readSiteFile, robotsToken }: Ports,
  { workId, url, userAgent, timeoutMs }: Asked,
): Promise<void> {
  const { origin, pathname, search } = targetOf(url)
  const { status, text, error } = await readSiteFile(origin, 'robots', { workId, timeoutMs })
  if (status === null) throw refusalOf(error ?? { reason: 'protocol', message: 'There was no answer.' })
  const agent = (userAgent && productTokenOf(userAgent)) || robotsToken
  const says = { robotsStatus: status, robotsTxt: text }
  const { allowed, rule } = verdictOn(says, agent, pathname + search)
  if (allowed) return
  const because = rule === null ? `it answered ${status}, which forbids everything until it answers` : rule
  throw refusalOf({ reason: 'robots', message: `robots.txt forbids it: ${because}` })
}

function targetOf(url: string): URL {
  const target = URL.parse(url)
  if (target !== null) return target
  const { code: reason, message } = new FetchError('bad_url')
  throw refusalOf({ reason, message })
}
