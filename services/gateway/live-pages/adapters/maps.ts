/** Requests the URLs of a site from the extractor, and decisions about URLs from the coordinator. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { JudgeUrls, JudgeUrlsResponse } from '@tidemark/contracts/rpc/judge'
import * as judgeRpc from '@tidemark/contracts/rpc/judge'
import type { MapSite, MapSiteResponse } from '@tidemark/contracts/rpc/map'
import * as mapRpc from '@tidemark/contracts/rpc/map'

/** Returns the URLs of a site. Throws the extractor's `Refusal`, or `unavailable` if it does not respond. */
export type ReadMap = (request: MapSite) => Promise<MapSiteResponse>
/** Returns which URLs a run would fetch, as the coordinator decides. */
export type Judge = (request: JudgeUrls) => Promise<JudgeUrlsResponse>

/** Exceeds the maximum time of the extractor. */
const timeoutMs = 30_000

export const mapsBy =
  (bus: Bus): ReadMap =>
  request =>
    call(bus, mapRpc.mapSite, request, { timeoutMs })

const judgeMs = 10_000

export const judgesBy =
  (bus: Bus): Judge =>
  request =>
    call(bus, judgeRpc.judgeUrls, request, { timeoutMs: judgeMs })
