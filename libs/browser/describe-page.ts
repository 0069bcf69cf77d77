/**
 * Describes the page that a browser shows after a failed step of a login, as a visitor sees it. The sentence contains
 * no values of fields, and no query, because a form can send its fields in it.
 */
import type { CDPSession } from 'playwright-core'
import { evaluateApart } from './document.ts'
import { valueWithin } from './within.ts'
import { withoutValues } from './without-values.ts'

const maxMs = 1_000

/** Maximum characters of a text that the page may return. A longer one is left out: its cut could divide a value. */
const maxRead = 100_000
const maxAddress = 300
const maxTitle = 100

type Seen = { at: string; title: string; hasPassword: boolean; hasCode: boolean }

/** Evaluates to `Seen`, in bounded texts. */
const seen = `(() => {
  const isShown = element => element.checkVisibility?.({ visibilityProperty: true }) ?? true
  const inputs = [...document.querySelectorAll('input')].slice(0, 500)
    .filter(input => input.type !== 'hidden' && isShown(input))
  const nameOf = input => [input.autocomplete, input.name, input.id, input.placeholder, input.ariaLabel]
    .map(text => String(text ?? '').slice(0, 200)).join(' ')
  const code = /one-time-code|\\b(?:otp|totp|2fa|mfa|tan)\\b|one.?time|two.?factor|verification|security.?code|auth\\w*.?code/i
  return {
    at: location.origin + (location.pathname.length > ${maxRead} ? '' : location.pathname),
    title: document.title.length > ${maxRead} ? '' : document.title,
    hasPassword: inputs.some(({ type }) => type === 'password'),
    hasCode: inputs.some(input => code.test(nameOf(input))),
  }
})()`

/** Returns sentences about the page, without these values of fields; empty if it does not answer in time. */
export async function describePage(
  cdp: CDPSession,
  frameId: string,
  values: readonly string[],
): Promise<string> {
  const page = await valueWithin(maxMs, evaluateApart<Seen>(cdp, frameId, seen), null)
  if (page === null) return ''
  const { hasPassword, hasCode } = page
  const at = withoutValues(page.at, values).slice(0, maxAddress)
  const title = withoutValues(page.title, values).slice(0, maxTitle).trim()
  const shown = `The browser shows ${at}${title === '' ? '' : ` ("${title}")`}`
  if (hasCode)
    return `${shown} with a field for a one-time code. A second factor cannot be entered: use an account without one`
  if (hasPassword)
    return `${shown} with a field for a password. The site may have rejected the values: check them`
  return shown
}
