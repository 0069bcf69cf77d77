/** The screenshot of a page, taken with the page or by a separate browser visit. */
import { Refusal } from '@tidemark/bus/refusal'
import { nothing } from '@tidemark/contracts/rpc/content'
import { reasonOf, whyNoPicture } from '../domain/escalation.ts'
import {
  type BackendResponse,
  type Escalated,
  type EscalatePorts,
  type Escalation,
  tryBackend,
} from './escalate.ts'

export type Picture =
  /** `warnings`: why the screenshot may not show the whole page. */
  | { png: Buffer; error?: undefined; warnings: string[] }
  /** Reason of the failure, as a stable code. */
  | { png?: undefined; error: string; warnings?: undefined }

/** A larger screenshot, in base64 and beside its page, exceeds a response. */
const maxBytes = 5 * 1024 ** 2
const minMs = 500
/**
 * Returns the screenshot of a page. If a separate visit takes it, the page of that visit is only checked for a
 * challenge, and the attempt is appended to the attempts of the page.
 */
export async function pictureOf(
  ports: EscalatePorts,
  escalation: Escalation,
  { response, past, tried }: Escalated,
): Promise<Picture> {
  if (response.step.backend === 'browser') return fitting(response.picture, pictureWarnings(response))
  const why = whyNoPicture(escalation.means, past, response.outcome)
  if (why !== null) return none(why)
  const leftMs = Math.floor(escalation.endsAt - performance.now())
  if (leftMs < minMs) return none('timeout')
  try {
    const visit = { ...escalation, wanted: nothing }
    const attempt = await tryBackend(ports, visit, { backend: 'browser' }, leftMs)
    tried.push(attempt.tried)
    const taken = attempt.response
    if (attempt.past.outcome !== 'page' || taken === null) return none(reasonOf(attempt.past))
    // The warnings of this visit are not about the content of the page.
    const ofVisit = (taken.page.warnings ?? []).map(warning => `screenshot: ${warning}`)
    return fitting(taken.picture, [...ofVisit, ...pictureWarnings(taken)])
  } catch (error) {
    if (error instanceof Refusal) return none(error.reason ?? error.code)
    throw error
  }
}

const none = (error: string): Picture => ({ error })

/** Returns the warning of a response about its screenshot. */
const pictureWarnings = ({ page: { pictureWarning } }: Pick<BackendResponse, 'page'>): string[] =>
  pictureWarning === undefined ? [] : [pictureWarning]

function fitting(png: Buffer | null, warnings: string[]): Picture {
  if (png === null) return none('failed')
  return png.byteLength > maxBytes ? none('too_large') : { png, warnings }
}
