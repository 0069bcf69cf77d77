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
import { type LinkResponse, linkVerdict, wasNotRequested } from '../../domain/actors/link-verdict.ts'
import {
  type FollowPorts,
  followRedirects,
  type LinkToFollow,
  maxBytes,
  type RedirectChain,
} from './follow-redirects.ts'

export type CheckLinkPorts = FollowPorts & { thread: Pick<ContentThread, 'see' | 'expect'> }

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
  return async (request: CheckLink): Promise<LinkChecked> => {
    const link = { ...request, endsAt: performance.now() + request.timeoutMs }
    const quick = request.places.length === 0 ? await followRedirects(ports, link, 'HEAD') : null
    if (quick !== null && isEnough(quick)) return checkedOf(quick, nothingSeen)
    ports.thread.expect()
    const chain = await seek(ports, link, quick)
    return checkedOf(chain, chain.end.is === 'failed' ? nothingSeen : await see(ports, request, chain.end))
  }
}

/**
 * Fetches the page with GET, with one retry after a server failure. A missing response is retried only if HEAD had
 * another result. An earlier response stands if the next request got no host slot.
 */
async function seek(
  ports: CheckLinkPorts,
  link: LinkToFollow,
  quick: RedirectChain | null,
): Promise<RedirectChain> {
  const chain = await followRedirects(ports, link, 'GET')
  if (hadNoSlot(chain)) return quick !== null && appliesToPage(quick) ? quick : chain
  const { end } = chain
  const isSecond = quick !== null && quick.end.is === 'failed'
  const mayPass =
    end.is === 'failed'
      ? !isSecond && passing.has(end.reason) && end.isUnasked !== true
      : end.status >= 500 && end.status < 600 && end.backOffMs === undefined
  if (!mayPass || link.endsAt - performance.now() < pauseMs + minMs) return chain
  await sleep(pauseMs)
  const again = await followRedirects(ports, link, 'GET')
  return hadNoSlot(again) ? chain : again
}

const hadNoSlot = ({ end }: RedirectChain): boolean =>
  end.is === 'failed' && linkVerdict(end).reason === 'not_asked'

/** Statuses that apply to the page: 405 and 501 may apply to HEAD only (RFC 9110, 15.5.6 and 15.6.2). */
const appliesToPage = ({ end }: RedirectChain): boolean =>
  end.is === 'failed' || (end.status !== 405 && end.status !== 501)

/** Whether the HEAD response suffices. Many sites do not support HEAD, and a short page may be a challenge. */
function isEnough({ end }: RedirectChain): boolean {
  if (end.is === 'failed') return end.isUnasked === true || !passing.has(end.reason)
  if (end.backOffMs !== undefined) return true
  const isShort = end.announced !== undefined && end.announced <= shortPage && isHtml(end)
  return end.status < 300 && end.status !== 202 && !isShort
}

const isHtml = ({ contentType }: Fetched): boolean =>
  /^(?:text\/html|application\/xhtml)/i.test(contentType ?? '')

const nothingSeen: Sight = { challenge: null, found: [], missing: [] }

/** Returns the facts of a body. An unreadable body yields no facts: it is enough that the page exists. */
async function see(
  { thread }: CheckLinkPorts,
  { projectId, places: anchors }: CheckLink,
  end: Fetched,
): Promise<Sight> {
  const { url, status, contentType, headers, encodings } = end
  try {
    const { bytes, isWhole } = await decodeStart(end.body, encodings, maxDecoded)
    const page = { url, status, contentType, headers, body: bytes }
    const names = status === 200 ? anchors : []
    const reading = { as: 'places', names, isWhole: isWhole && end.body.length < maxBytes } as const
    const { json } = await thread.see({ reading, page }, `project ${projectId}`)
    const seen = decodeJson(json) as { data: FragmentAnchors; challenge: string | null }
    return { ...seen.data, challenge: seen.challenge }
  } catch (error) {
    if (error instanceof Refusal || error instanceof FetchError) return nothingSeen
    throw error
  }
}

function checkedOf({ url, end, hops }: RedirectChain, { challenge, found, missing }: Sight): LinkChecked {
  const response: LinkResponse = end.is === 'failed' ? end : { is: 'answered', status: end.status, challenge }
  return {
    ...linkVerdict(response),
    statusCode: end.is === 'failed' ? null : end.status,
    url: url.slice(0, maxUrlLength),
    hops,
    found,
    missing,
    isAsked: hops.length > 0 || response.is === 'answered' || !wasNotRequested(response),
    leaveAloneMs: end.is === 'failed' ? null : (end.backOffMs ?? null),
  }
}
