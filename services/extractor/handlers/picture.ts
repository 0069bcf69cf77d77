/** The screenshot of a page, taken with the page or by a separate browser visit. */
import { Refusal } from '@tidemark/bus/refusal'
import { reasonOf, whyNoPicture } from '../domain/escalation.ts'
import { type Escalated, type EscalatePorts, type Escalation, tryBackend } from './escalate.ts'

export type Picture =
  | { png: Buffer; error?: undefined }
  /** Reason of the failure, as a stable code. */
  | { png?: undefined; error: string }

/** Larger screenshots, in base64 and beside a page, exceed a response. */
const maxBytes = 5 * 1024 ** 2
const minMs = 500
/** Checks only whether the page of the screenshot is a challenge. */
const nothing = { html: false, markdown: null, article: false, signals: false, anchors: false }

/** Appends its own attempt to those of the page. */
export async function pictureOf(
  ports: EscalatePorts,
  escalation: Escalation,
  { response, past, tried }: Escalated,
): Promise<Picture> {
  if (response.step.backend === 'browser') return fitting(response.picture)
  const why = whyNoPicture(escalation.means, past, response.outcome)
  if (why !== null) return none(why)
  const leftMs = Math.floor(escalation.endsAt - performance.now())
  if (leftMs < minMs) return none('timeout')
  try {
    const attempt = await tryBackend(
      ports,
      { ...escalation, wanted: nothing },
      { backend: 'browser' },
      leftMs,
    )
    tried.push(attempt.tried)
    return attempt.past.outcome === 'page'
      ? fitting(attempt.response?.picture ?? null)
      : none(reasonOf(attempt.past))
  } catch (error) {
    if (error instanceof Refusal) return none(error.reason ?? error.code)
    throw error
  }
}

const none = (error: string): Picture => ({ error })

function fitting(png: Buffer | null): Picture {
  if (png === null) return none('failed')
  return png.byteLength > maxBytes ? none('too_large') : { png }
}
