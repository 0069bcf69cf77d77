/** The screenshot of a page, taken with the page or by a separate browser visit. */
import { Refusal } from '@tidemark/bus/refusal'
import { reasonOf, whyNoPicture } from '../domain/escalation.ts'
import { type Escalated, type EscalatePorts, type Escalation, takeTurn } from './escalate.ts'

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
  { had, past, tried }: Escalated,
): Promise<Picture> {
  if (had.step.backend === 'browser') return fitting(had.picture)
  const why = whyNoPicture(escalation.means, past, had.outcome)
  if (why !== null) return none(why)
  const leftMs = Math.floor(escalation.endsAt - performance.now())
  if (leftMs < minMs) return none('timeout')
  try {
    const turn = await takeTurn(ports, { ...escalation, wanted: nothing }, { backend: 'browser' }, leftMs)
    tried.push(turn.tried)
    return turn.past.outcome === 'page' ? fitting(turn.had?.picture ?? null) : none(reasonOf(turn.past))
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
