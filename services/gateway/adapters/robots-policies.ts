/** Asks the extractor what a site says to AI bots. */
import { ask } from '@tidemark/bus/ask'
import { decodeCompact } from '@tidemark/bus/compact'
import type { Bus } from '@tidemark/bus/connection'
import type { ReadRobotsPolicy } from '@tidemark/contracts/ask/policy'
import type { RobotsPolicy } from '@tidemark/contracts/http/robots-policy'
import { asks } from '@tidemark/contracts/subjects'

/** Throws what the site's absence means for the client. */
export type ReadPolicy = (question: ReadRobotsPolicy) => Promise<RobotsPolicy>

/** Longer than the extractor takes at the most. */
const timeoutMs = 25_000

export const robotsPoliciesBy =
  (bus: Bus): ReadPolicy =>
  question =>
    ask<ReadRobotsPolicy, RobotsPolicy>(bus, asks.robotsPolicy, question, {
      timeoutMs,
      decode: decodeCompact,
    })
