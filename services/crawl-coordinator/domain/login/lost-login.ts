/** Explains why a run has no session: a stable code for programs, and a sentence with the remedy for people. */
import { sentenceOf } from '../explain/sentences.ts'
import type { Failure } from '../seed-failure.ts'
import type { LostLogin } from './state.ts'

export function lostLoginOf(lost: LostLogin): Failure {
  const { reason } = lost
  if (reason === 'login_failed')
    return { reason, message: `The login failed, and no page was fetched. ${causeOf(lost)}` }
  const message = `The crawl was logged out: ${seenAs[lost.sign](lost.because)} at ${lost.url}. Later pages would be those of a logged-out visitor. Start the crawl again, and exclude addresses that log out (exclude_paths).`
  return { reason, message }
}

function causeOf({ cause, because }: Extract<LostLogin, { reason: 'login_failed' }>): string {
  if (because !== null) return because.endsWith('.') ? because : `${because}.`
  return sentenceOf(cause) ?? causes[cause] ?? `The browser could not open the page: ${cause}.`
}

const none = 'This installation has no browser for it (BROWSER, FETCH_LANES).'
const causes: Record<string, string> = { no_browser: none, not_configured: none }

const seenAs = {
  selector: (selector: string) => `the element ${selector} was found`,
  redirect: (url: string) => `a redirect led to ${url}`,
  status: (status: string) => `the status was ${status}`,
}
