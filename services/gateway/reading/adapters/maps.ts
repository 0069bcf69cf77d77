/** Asks the extractor for a site's addresses, and the coordinator what a run would make of them. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { JudgeUrls, JudgeUrlsAnswer } from '@tidemark/contracts/rpc/judge'
import * as judgeRpc from '@tidemark/contracts/rpc/judge'
import type { MapSite, MapSiteAnswer } from '@tidemark/contracts/rpc/map'
import * as mapRpc from '@tidemark/contracts/rpc/map'

/** Throws what the site's refusal or absence means for the client. */
export type ReadMap = (question: MapSite) => Promise<MapSiteAnswer>
/** Which of the URLs a run would fetch, in the coordinator's own judgement. */
export type Judge = (question: JudgeUrls) => Promise<JudgeUrlsAnswer>

/** Longer than the extractor takes at the most. */
const timeoutMs = 30_000

export const mapsBy =
  (bus: Bus): ReadMap =>
  question =>
    call(bus, mapRpc.mapSite, question, { timeoutMs })

const judgeMs = 10_000

export const judgesBy =
  (bus: Bus): Judge =>
  question =>
    call(bus, judgeRpc.judgeUrls, question, { timeoutMs: judgeMs })
