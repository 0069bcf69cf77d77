/** The state of an origin's robots.txt. */
import type { RobotsGroup } from '@tidemark/contracts/site-file'

export type Robots = RobotsAttempt &
  (
    | { state: 'ordered' }
    | { state: 'waiting'; notBefore: number }
    | ({ state: 'read' } & ReadRobots)
    | { state: 'failed'; reason: string }
  )

export type RobotsAttempt = {
  /** Number of the current attempt, or of the last one. */
  attempt: number
  /** How many attempt numbers the reopenings of the run have skipped; absent: none. */
  unused?: number
}

type ReadRobots = { verdict: 'rules' | 'allow_all' | 'disallow_all'; status: number; group: RobotsGroup }
