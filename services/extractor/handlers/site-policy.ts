/**
 * A site's policy for AI bots: robots.txt, llms.txt and llms-full.txt, each fetched at most once an hour for all
 * clients. Requests carry no client's name, because all clients share the response.
 */
import type { SiteFile } from '@tidemark/contracts/site-file'
import { type RobotsFacts, robotsFacts, type SitePolicy, sitePolicyOf } from '../domain/site-policy.ts'
import type { ReadSiteFile } from './site-files.ts'

export type { SitePolicy } from '../domain/site-policy.ts'

type Wanted = {
  /** Time for all requests, in milliseconds, at most 60 000; slower texts count as unreachable. */
  timeoutMs: number
  /** Whether llms-full.txt is requested too. */
  withFull: boolean
  /** As in `FetchNow`, if these requests belong to work with others at the host. */
  workId?: number | undefined
  projectId?: number | undefined
  delayMs?: number | undefined
}

/**
 * Policy of an origin without a trailing slash. Never rejects for faults of a site; rejects with a `Refusal`
 * (`unavailable`) without a fetcher.
 */
export type ReadSitePolicy = (origin: string, wanted: Wanted) => Promise<SitePolicy>

export function createSitePolicies(readFile: ReadSiteFile): ReadSitePolicy {
  // Pages of a site arrive in bursts, and their robots.txt is then the same object.
  const known = new WeakMap<SiteFile, RobotsFacts>()
  const factsOf = (robots: SiteFile): RobotsFacts => {
    const facts = known.get(robots) ?? robotsFacts(robots)
    known.set(robots, facts)
    return facts
  }
  return async (origin, { withFull, ...wanted }) => {
    const [robots, llms, llmsFull] = await Promise.all([
      readFile(origin, 'robots', wanted),
      readFile(origin, 'llms', wanted),
      withFull ? readFile(origin, 'llmsFull', wanted) : null,
    ])
    return sitePolicyOf(origin, { robots, llms, llmsFull }, factsOf(robots))
  }
}
