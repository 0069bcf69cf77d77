/** The picture of a page, as it came with it, or taken by a browser for a page that somebody else had. */
import { Refusal } from '@tidemark/bus/ask'
import { reasonOf, whyNoPicture } from '../domain/escalation.ts'
import { type Escalated, type EscalatePorts, type Escalation, takeTurn } from './escalate.ts'

export type Picture =
  | { png: Buffer; error?: undefined }
  /** Why there is none, as a stable code. */
  | { png?: undefined; error: string }

/** A larger one fits into no answer, in base64 and beside a page. */
const mostBytes = 5 * 1024 ** 2
const leastMs = 500
/** Of the page for its picture only whether it is a challenge. */
const nothing = { html: false, markdown: null, article: false, signals: false, anchors: false }

/** Adds its own try to those of the page. */
export async function pictureOf(
  ports: EscalatePorts,
  escalation: Escalation,
  { had, past, tried }: Escalated,
): Promise<Picture> {
  if (had.step.backend === 'browser') return fitting(had.picture)
  const why = whyNoPicture(escalation.means, past, had.outcome)
  if (why !== null) return none(why)
  const leftMs = Math.floor(escalation.endsAt - performance.now())
  if (leftMs < leastMs) return none('timeout')
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
  return png.byteLength > mostBytes ? none('too_large') : { png }
}
