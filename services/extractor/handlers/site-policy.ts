/**
 * What a site says to AI bots: its robots.txt, llms.txt and llms-full.txt, each fetched at most once an hour for
 * everybody who asks. They are fetched under no client's name, for what one client is answered is told to all.
 */
import type { SiteFile } from '@tidemark/contracts/site-file'
import { type RobotsSays, robotsSays, type SitePolicy, sitePolicyOf } from '../domain/site-policy.ts'
import type { ReadSiteFile } from './site-files.ts'

export type { SitePolicy } from '../domain/site-policy.ts'

type Wanted = {
  /** For everything together, in milliseconds, at most 60 000; what takes longer is as if it could not be had. */
  timeoutMs: number
  /** Whether llms-full.txt is wanted too. */
  withFull: boolean
  /** As in `FetchNow`, where these requests belong to a work that has others at the host. */
  workId?: number | undefined
  delayMs?: number | undefined
}

/**
 * Of an origin, without a slash at the end. Never rejects for what a site does; rejects with a `Refusal`
 * (`unavailable`) when no fetcher is there.
 */
export type ReadSitePolicy = (origin: string, wanted: Wanted) => Promise<SitePolicy>

export function createSitePolicies(readFile: ReadSiteFile): ReadSitePolicy {
  // Many pages of a site are asked for within a minute, and its robots.txt is the same object then.
  const remembered = new WeakMap<SiteFile, RobotsSays>()
  const said = (robots: SiteFile): RobotsSays => {
    const says = remembered.get(robots) ?? robotsSays(robots)
    remembered.set(robots, says)
    return says
  }
  return async (origin, { withFull, ...wanted }) => {
    const [robots, llms, llmsFull] = await Promise.all([
      readFile(origin, 'robots', wanted),
      readFile(origin, 'llms', wanted),
      withFull ? readFile(origin, 'llmsFull', wanted) : null,
    ])
    return sitePolicyOf(origin, { robots, llms, llmsFull }, said(robots))
  }
}
