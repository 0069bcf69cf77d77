/** Whether a site's robots.txt allows a page, checked before the page is fetched (RFC 9309). */
import { FetchError } from '@tidemark/http/fetch-error'
import { productTokenOf } from '@tidemark/robots/token'
import { verdictOn } from '../domain/site-policy.ts'
import { refusalOf, statusOrRefused } from './fetch-refusal.ts'
import type { ReadSiteFile } from './site-files.ts'

type Ports = {
  readSiteFile: ReadSiteFile
  /** This crawler's product token, unless the client sets its own name. */
  robotsToken: string
}

type RobotsCheck = {
  workId: number
  projectId?: number | undefined
  url: string
  userAgent?: string | undefined
  timeoutMs: number
}

/** Throws a `Refusal`: `robots` for a disallowed page, else why robots.txt could not be fetched. */
export async function requireRobotsAllow(
  { readSiteFile, robotsToken }: Ports,
  { workId, projectId, url, userAgent, timeoutMs }: RobotsCheck,
): Promise<void> {
  const { origin, pathname, search } = targetOf(url)
  const file = await readSiteFile(origin, 'robots', { workId, projectId, timeoutMs })
  const status = statusOrRefused(file)
  const agent = (userAgent && productTokenOf(userAgent)) || robotsToken
  const robots = { robotsStatus: status, robotsTxt: file.text }
  const { allowed, rule } = verdictOn(robots, agent, pathname + search)
  if (allowed) return
  const because =
    rule === null
      ? `it responded with ${status}, which disallows everything until it responds`
      : `Disallow: ${rule}`
  throw refusalOf({ reason: 'robots', message: `robots.txt disallows it: ${because}` })
}

function targetOf(url: string): URL {
  const target = URL.parse(url)
  if (target !== null) return target
  const { code: reason, message } = new FetchError('bad_url')
  throw refusalOf({ reason, message })
}
