/** Asks the extractor for a site's addresses, and the coordinator what a run would make of them. */
import { gunzipSync } from 'node:zlib'
import { ask } from '@tidemark/bus/ask'
import type { Bus } from '@tidemark/bus/connection'
import type { JudgeUrls, JudgeUrlsAnswer } from '@tidemark/contracts/ask/judge'
import type { MapSite, MapSiteAnswer } from '@tidemark/contracts/ask/map'
import { asks } from '@tidemark/contracts/subjects'
import type { EstimatePorts } from '../routes/estimate.ts'
import type { MapPorts } from '../routes/map.ts'

/** Longer than the extractor takes at the most. */
const timeoutMs = 30_000

export const mapsBy =
  (bus: Bus): MapPorts['mapSite'] =>
  question =>
    ask<MapSite, MapSiteAnswer>(bus, asks.mapSite, question, { timeoutMs, decode: unpacked })

const judgeMs = 10_000

export const judgesBy =
  (bus: Bus): EstimatePorts['judgeUrls'] =>
  question =>
    ask<JudgeUrls, JudgeUrlsAnswer>(bus, asks.judgeUrls, question, { timeoutMs: judgeMs })

const unpacked = (data: Uint8Array): MapSiteAnswer => JSON.parse(gunzipSync(data).toString())
