/** Asks the extractor for a site's addresses, and the coordinator what a run would make of them. */
import { gunzipSync } from 'node:zlib'
import { ask } from '@tidemark/bus/ask'
import type { Bus } from '@tidemark/bus/connection'
import type { JudgeUrls, JudgeUrlsAnswer } from '@tidemark/contracts/ask/judge'
import type { MapSite, MapSiteAnswer } from '@tidemark/contracts/ask/map'
import { asks } from '@tidemark/contracts/subjects'

/** Throws what the site's refusal or absence means for the client. */
export type ReadMap = (question: MapSite) => Promise<MapSiteAnswer>
/** Which of the URLs a run would fetch, in the coordinator's own judgement. */
export type Judge = (question: JudgeUrls) => Promise<JudgeUrlsAnswer>

/** Longer than the extractor takes at the most. */
const timeoutMs = 30_000

export const mapsBy =
  (bus: Bus): ReadMap =>
  question =>
    ask<MapSite, MapSiteAnswer>(bus, asks.mapSite, question, { timeoutMs, decode: unpacked })

const judgeMs = 10_000

export const judgesBy =
  (bus: Bus): Judge =>
  question =>
    ask<JudgeUrls, JudgeUrlsAnswer>(bus, asks.judgeUrls, question, { timeoutMs: judgeMs })

const unpacked = (data: Uint8Array): MapSiteAnswer => JSON.parse(gunzipSync(data).toString())
