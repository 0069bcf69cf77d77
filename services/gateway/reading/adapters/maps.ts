/** Requests a site's addresses from the extractor, and the decisions on them from the coordinator. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { JudgeUrls, JudgeUrlsAnswer } from '@tidemark/contracts/rpc/judge'
import * as judgeRpc from '@tidemark/contracts/rpc/judge'
import type { MapSite, MapSiteAnswer } from '@tidemark/contracts/rpc/map'
import * as mapRpc from '@tidemark/contracts/rpc/map'

/** Throws the error for the client if the extractor refuses or is unavailable. */
export type ReadMap = (question: MapSite) => Promise<MapSiteAnswer>
/** Returns which URLs a run would fetch, as the coordinator decides. */
export type Judge = (question: JudgeUrls) => Promise<JudgeUrlsAnswer>

/** Exceeds the maximum time of the extractor. */
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
