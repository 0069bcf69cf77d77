/**
 * Checks one link by as little as it takes: HEAD where nothing of the page has to be seen, GET where that is refused or
 * looks strange, and once more what may have failed by chance.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '@tidemark/bus/ask'
import { decodeJson } from '@tidemark/bus/codec'
import type { CheckLink, LinkChecked } from '@tidemark/contracts/ask/check-link'
import { FetchError } from '@tidemark/http/fetch-error'
import { longestUrl } from '@tidemark/url/normal-form'
import type { ContentThread } from '../../adapters/content-thread.ts'
import { decodeStart } from '../../adapters/decode-start.ts'
import type { Fetched } from '../../adapters/fetch-now.ts'
import { type Came, isUnasked, linkVerdict } from '../../domain/actors/link-verdict.ts'
import type { Places } from '../../domain/actors/places.ts'
import { type Journey, mostBytes, type TravelPorts, type Trip, travel } from './travel.ts'

export type CheckLinkPorts = TravelPorts & { thread: Pick<ContentThread, 'see' | 'expect'> }

/** What was seen in the page itself. */
type Sight = Places & { challenge: string | null }

/** Before what failed is asked again. */
const pauseMs = 1_000
/** With less time than this left nothing is asked again. */
const leastMs = 3_000
/** Pages that are as short as challenges are, in bytes. */
const shortPage = 4_096
const mostDecoded = 3 * 1024 ** 2

/** What another request may end otherwise. */
const passing: ReadonlySet<string> = new Set(['timeout', 'connect', 'protocol', 'proxy', 'too_large'])

/** The handler rejects with a `Refusal` (`unavailable`) where there is no fetcher; anything else is an answer. */
export function checkLink(ports: CheckLinkPorts) {
  return async (question: CheckLink): Promise<LinkChecked> => {
    const journey = { ...question, endsAt: performance.now() + question.timeoutMs }
    const quick = question.places.length === 0 ? await travel(ports, journey, 'HEAD') : null
    if (quick !== null && isEnough(quick)) return checkedOf(quick, unseen)
    ports.thread.expect()
    const trip = await seek(ports, journey, quick)
    return checkedOf(trip, trip.end.is === 'failed' ? unseen : await see(ports, question, trip.end))
  }
}

/**
 * The page itself: of a server that failed once more, of no answer only where HEAD had another one. What was answered
 * stays so where the next request had no turn.
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
  if (!mayPass || journey.endsAt - performance.now() < pauseMs + leastMs) return trip
  await sleep(pauseMs)
  const again = await travel(ports, journey, 'GET')
  return hadNoTurn(again) ? trip : again
}

const hadNoTurn = ({ end }: Trip): boolean => end.is === 'failed' && linkVerdict(end).reason === 'not_asked'

/** Of the page, and not of HEAD alone: 405 and 501 do not (RFC 9110, 15.5.6 and 15.6.2). */
const saysSomething = ({ end }: Trip): boolean =>
  end.is === 'failed' || (end.status !== 405 && end.status !== 501)

/** Whether HEAD says it all. Many a site has no HEAD, or another one; and a short page may be a challenge. */
function isEnough({ end }: Trip): boolean {
  if (end.is === 'failed') return end.isUnasked === true || !passing.has(end.reason)
  if (end.backOffMs !== undefined) return true
  const isShort = end.announced !== undefined && end.announced <= shortPage && isHtml(end)
  return end.status < 300 && end.status !== 202 && !isShort
}

const isHtml = ({ contentType }: Fetched): boolean =>
  /^(?:text\/html|application\/xhtml)/i.test(contentType ?? '')

const unseen: Sight = { challenge: null, found: [], missing: [] }

/** Nothing is seen of what cannot be read: that its site has it is enough. */
async function see(
  { thread }: CheckLinkPorts,
  { projectId, places }: CheckLink,
  end: Fetched,
): Promise<Sight> {
  const { url, status, contentType, headers, encodings } = end
  try {
    const { bytes, isWhole } = await decodeStart(end.body, encodings, mostDecoded)
    const page = { url, status, contentType, headers, body: bytes }
    const names = status === 200 ? places : []
    const reading = { as: 'places', names, isWhole: isWhole && end.body.length < mostBytes } as const
    const { json } = await thread.see({ reading, page }, `project ${projectId}`)
    const seen = decodeJson(json) as { data: Places; challenge: string | null }
    return { ...seen.data, challenge: seen.challenge }
  } catch (error) {
    if (error instanceof Refusal || error instanceof FetchError) return unseen
    throw error
  }
}

function checkedOf({ url, end, hops }: Trip, { challenge, found, missing }: Sight): LinkChecked {
  const came: Came = end.is === 'failed' ? end : { is: 'answered', status: end.status, challenge }
  return {
    ...linkVerdict(came),
    statusCode: end.is === 'failed' ? null : end.status,
    url: url.slice(0, longestUrl),
    hops,
    found,
    missing,
    isAsked: hops.length > 0 || came.is === 'answered' || !isUnasked(came),
    leaveAloneMs: end.is === 'failed' ? null : (end.backOffMs ?? null),
  }
}
