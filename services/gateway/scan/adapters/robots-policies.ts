/** Requests a site's rules for AI bots from the extractor. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { RobotsPolicy } from '@tidemark/contracts/http/robots-policy'
import type { ReadRobotsPolicy } from '@tidemark/contracts/rpc/policy'
import * as policyRpc from '@tidemark/contracts/rpc/policy'

/** Returns the rules. Throws the extractor's `Refusal` if the site is unavailable. */
export type ReadPolicy = (request: ReadRobotsPolicy) => Promise<RobotsPolicy>

/** Timeout in ms, longer than the maximum time of the extractor. */
const timeoutMs = 25_000

export const robotsPoliciesBy =
  (bus: Bus): ReadPolicy =>
  request =>
    call(bus, policyRpc.robotsPolicy, request, { timeoutMs })
