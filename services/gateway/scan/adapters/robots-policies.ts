/** Asks the extractor what a site says to AI bots. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { RobotsPolicy } from '@tidemark/contracts/http/robots-policy'
import type { ReadRobotsPolicy } from '@tidemark/contracts/rpc/policy'
import * as policyRpc from '@tidemark/contracts/rpc/policy'

/** Throws what the site's absence means for the client. */
export type ReadPolicy = (question: ReadRobotsPolicy) => Promise<RobotsPolicy>

/** Longer than the extractor takes at the most. */
const timeoutMs = 25_000

export const robotsPoliciesBy =
  (bus: Bus): ReadPolicy =>
  question =>
    call(bus, policyRpc.robotsPolicy, question, { timeoutMs })
