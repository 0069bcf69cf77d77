/** Validates the selectors of a request and their names before anything is fetched. */
import type { ScanRequest } from '@tidemark/contracts/http/scan'
import { selectorFault } from '@tidemark/html/selection/select'
import { refusal } from '../../http/domain/refusal.ts'

const usable = /^[A-Za-z0-9_.-]{1,64}$/

/** Throws `ApiProblem` with the field of the first invalid selector or name. */
export function assertSelectors(extract: ScanRequest['extract']): void {
  for (const [name, one] of Object.entries(extract ?? {})) {
    if (!usable.test(name)) throw refusal('extract', 'bad_value', badName)
    const selector = typeof one === 'string' ? one : one.selector
    const field = typeof one === 'string' ? `extract.${name}` : `extract.${name}.selector`
    const fault = selectorFault(selector)
    if (fault !== null) throw refusal(field, 'bad_value', `${field} is not a CSS selector: ${fault}.`)
  }
}

const badName = 'A name in extract must have 1 to 64 letters, digits, dots, hyphens and underscores.'
