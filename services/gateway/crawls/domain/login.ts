/** Checks `login`: its steps stay on the seed's site and end with a sign of success, and it names a sign of a lost session. */
import type { CrawlLogin } from '@tidemark/contracts/http/crawl-login'
import type { RunLogin } from '@tidemark/contracts/run-settings'
import { normalForm } from '@tidemark/url/normal-form'
import { siteOf } from '@tidemark/url/site'
import { refusal } from '../../http/domain/refusal.ts'
import { assertAction, assertSelector } from '../../live-pages/domain/page-actions.ts'
import type { FieldRule } from './field-rule.ts'

/** Maximum characters of all steps: they travel with an order. */
const maxCharacters = 32_000

export const login: FieldRule = request => {
  if (request.login === undefined) return request
  const { steps, logged_out } = request.login
  for (const proxy of ['proxy_url', 'proxy_pool'] as const)
    if (request[proxy] !== undefined) throw conflict('login', withoutProxy(proxy))
  for (const [at, step] of steps.entries()) {
    const field = `login.steps[${at}]`
    assertAction(step, field)
    if (step.type === 'screenshot') throw conflict(field, noPicture)
    if (step.url !== undefined) assertSameSite(step.url, request.url, `${field}.url`)
  }
  const last = steps.at(-1)
  if (last?.type !== 'wait_for' || last.selector === undefined)
    throw refusal(`login.steps[${steps.length - 1}]`, 'required', withoutSuccess)
  if (JSON.stringify(steps).length > maxCharacters)
    throw refusal('login.steps', 'out_of_range', `login.steps may have ${maxCharacters} characters in all.`)
  assertSigns(logged_out, request.url)
  return request
}

/** Refuses a login in a project whose requests all go through its own proxy. */
export function assertDirectLogin({ login, proxy }: { login?: unknown; proxy?: unknown }): void {
  if (login !== undefined && proxy !== undefined)
    throw conflict('login', withoutProxy('the proxy of the project'))
}

/**
 * Returns the login of a validated request.
 * @param seal encrypts the steps
 */
export const loginOf = (
  { steps, logged_out: { selector, redirect, status } }: CrawlLogin,
  base: string,
  seal: (text: string) => string,
): RunLogin => ({
  steps: seal(JSON.stringify(steps)),
  loggedOut: {
    ...(selector !== undefined && { selector }),
    ...(redirect !== undefined && { redirect: signOf(redirect, base) }),
    ...(status !== undefined && { status }),
  },
})

/** Returns the address without query and fragment, in the normal form of the addresses that it is compared with. */
function signOf(redirect: string, base: string): string {
  const { origin, pathname } = new URL(normalForm(redirect, base) ?? redirect, base)
  return origin + pathname
}

function assertSigns({ selector, redirect, status }: CrawlLogin['logged_out'], base: string): void {
  if (selector === undefined && redirect === undefined && status === undefined)
    throw refusal('login.logged_out', 'required', withoutSign)
  if (selector !== undefined) assertSelector(selector, 'login.logged_out.selector')
  if (redirect !== undefined && !isHttp(URL.parse(redirect, base)))
    throw refusal(
      'login.logged_out.redirect',
      'bad_url',
      'login.logged_out.redirect is not an http or https address.',
    )
}

function assertSameSite(target: string, base: string, field: string): void {
  const [to, from] = [URL.parse(target, base), URL.parse(base)]
  if (to === null || !isHttp(to)) throw refusal(field, 'bad_url', `${field} is not an http or https address.`)
  if (to.username !== '' || to.password !== '')
    throw refusal(field, 'bad_url', `${field} contains a user name or a password: use the step fill.`)
  if (from === null || siteOf(to.hostname) !== siteOf(from.hostname))
    throw refusal(
      field,
      'bad_url',
      `${field} must be on the site of url. Links and forms may lead to other sites.`,
    )
}

const isHttp = (url: URL | null): boolean => url !== null && /^https?:$/.test(url.protocol)

const conflict = (field: string, message: string) => refusal(field, 'conflicting_fields', message)

const withoutProxy = (proxy: string) =>
  `login cannot be combined with ${proxy}: it needs a browser, and browsers use no proxy. Leave one of them out.`
const noPicture = 'A login stores no screenshot: leave this step out.'
const withoutSuccess =
  'The last step of login.steps must be wait_for with a selector that only logged-in visitors see. Otherwise a rejected password would count as success.'
const withoutSign =
  'login.logged_out needs at least one sign: selector, redirect or status. Otherwise the crawl would store the pages of a logged-out visitor.'
