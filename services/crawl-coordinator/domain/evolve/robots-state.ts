/** The state of an origin's robots.txt. */
import type { RobotsGroup } from '@tidemark/contracts/site-file'

type ReadRobots = { verdict: 'rules' | 'allow_all' | 'disallow_all'; status: number; group: RobotsGroup }

/** `unused`: how many numbers of attempts the reopenings of the run left out; absent: none. */
export type Robots = (
  | { state: 'ordered'; attempt: number }
  | { state: 'waiting'; attempt: number; notBefore: number }
  | ({ state: 'read'; attempt: number } & ReadRobots)
  | { state: 'failed'; reason: string; attempts: number }
) & { unused?: number }
