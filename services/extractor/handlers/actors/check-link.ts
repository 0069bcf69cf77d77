/**
 * Checks one link with minimum effort: HEAD if no content is needed, GET if HEAD is rejected or implausible, and one
 * retry after transient failures.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeJson } from '@tidemark/bus/codec'
import { Refusal } from '@tidemark/bus/refusal'
import type { CheckLink, LinkChecked } from '@tidemark/contracts/rpc/check-link'
import { FetchError } from '@tidemark/http/fetch-error'
import { maxUrlLength } from '@tidemark/url/normal-form'
import type { ContentThread } from '../../adapters/content-thread.ts'
import { decodeStart } from '../../adapters/decode-start.ts'
import type { Fetched } from '../../adapters/fetch-now.ts'
import type { FragmentAnchors } from '../../domain/actors/fragment-anchors.ts'
import { type Came, isUnasked, linkVerdict } from '../../domain/actors/link-verdict.ts'
import { type Journey, maxBytes, type TravelPorts, type Trip, travel } from './travel.ts'

export type CheckLinkPorts = TravelPorts & { thread: Pick<ContentThread, 'see' | 'expect'> }

/** Facts from the page's content. */
type Sight = FragmentAnchors & { challenge: string | null }

/** Delay before a retry. */
const pauseMs = 1_000
/** Minimum time for a retry. */
const minMs = 3_000
/** Size of pages that are short enough to be challenges, in bytes. */
const shortPage = 4_096
const maxDecoded = 3 * 1024 ** 2

/** Failures that a retry may resolve. */
const passing: ReadonlySet<string> = new Set(['timeout', 'connect', 'protocol', 'proxy', 'too_large'])

/** The handler rejects with a `Refusal` (`unavailable`) without a fetcher. All other results are responses. */
export function checkLink(ports: CheckLinkPorts) {
  return async (question: CheckLink): Promise<LinkChecked> => {
    const journey = { ...question, endsAt: performance.now() + question.timeoutMs }
    const quick = question.places.length === 0 ? await travel(ports, journey, 'HEAD') : null
    if (quick !== null && isEnough(quick)) return checkedOf(quick, nothingSeen)
    ports.thread.expect()
    const trip = await seek(ports, journey, quick)
    return checkedOf(trip, trip.end.is === 'failed' ? nothingSeen : await see(ports, question, trip.end))
  }
}

/**
 * Fetches the page with GET, with one retry after a server failure. A missing response is retried only if HEAD had
 * another result. An earlier response stands if the next request got no host slot.
 */
async function seek(ports: CheckLinkPorts, journey: Journey, quick: Trip | null): Promise<Trip> {
  const trip = await travel(ports, journey, 'GET')
  if (hadNoTurn(trip)) return quick !== null && saysSomething(quick) ? quick : trip
  const { end } = trip
  const isSecond = quick !== null && quick.end.is === 'failed'
  const mayPass =
    end.is === 'failed'
      ? !isSecond && passing.has(end.reason) && end.isUnasked !== true
      : end.status >= 500 && end.status < 600 && end.backOffMs === undefined
  if (!mayPass || journey.endsAt - performance.now() < pauseMs + minMs) return trip
  await sleep(pauseMs)
  const again = await travel(ports, journey, 'GET')
  return hadNoTurn(again) ? trip : again
}

const hadNoTurn = ({ end }: Trip): boolean => end.is === 'failed' && linkVerdict(end).reason === 'not_asked'

/** Statuses that apply to the page: 405 and 501 may apply to HEAD only (RFC 9110, 15.5.6 and 15.6.2). */
const saysSomething = ({ end }: Trip): boolean =>
  end.is === 'failed' || (end.status !== 405 && end.status !== 501)

/** Whether the HEAD response suffices. Many sites do not support HEAD, and a short page may be a challenge. */
function isEnough({ end }: Trip): boolean {
  if (end.is === 'failed') return end.isUnasked === true || !passing.has(end.reason)
  if (end.backOffMs !== undefined) return true
  const isShort = end.announced !== undefined && end.announced <= shortPage && isHtml(end)
  return end.status < 300 && end.status !== 202 && !isShort
}

const isHtml = ({ contentType }: Fetched): boolean =>
  /^(?:text\/html|application\/xhtml)/i.test(contentType ?? '')

const nothingSeen: Sight = { challenge: null, found: [], missing: [] }

/** An unreadable body yields no facts: its existence suffices. */
async function see(
  { thread }: CheckLinkPorts,
  { projectId, places }: CheckLink,
  end: Fetched,
): Promise<Sight> {
  const { url, status, contentType, headers, encodings } = end
  try {
    const { bytes, isWhole } = await decodeStart(end.body, encodings, maxDecoded)
    const page = { url, status, contentType, headers, body: bytes }
    const names = status === 200 ? places : []
    const reading = { as: 'places', names, isWhole: isWhole && end.body.length < maxBytes } as const
    const { json } = await thread.see({ reading, page }, `project ${projectId}`)
    const seen = decodeJson(json) as { data: FragmentAnchors; challenge: string | null }
    return { ...seen.data, challenge: seen.challenge }
  } catch (error) {
    if (error instanceof Refusal || error instanceof FetchError) return nothingSeen
    throw error
  }
}

function checkedOf({ url, end, hops }: Trip, { challenge, found, missing }: Sight): LinkChecked {
  const came: Came = end.is === 'failed' ? end : { is: 'answered', status: end.status, challenge }
  return {
    ...linkVerdict(came),
    statusCode: end.is === 'failed' ? null : end.status,
    url: url.slice(0, maxUrlLength),
    hops,
    found,
    missing,
    isAsked: hops.length > 0 || came.is === 'answered' || !isUnasked(came),
    leaveAloneMs: end.is === 'failed' ? null : (end.backOffMs ?? null),
  }
}
