/** Rules for the security of visitors, as far as the page and its response show it. */
import { attribute } from '@tidemark/html/tree/attribute'
import type { AuditedPage, AuditedResponse } from './audited-page.ts'
import { isOwnMachine } from './own-machine.ts'
import { contentOf, type Entry } from './page-index.ts'
import { isSuccess } from './response.ts'
import { type Rule, when, withSample } from './rule.ts'
import { google, mdn, rfc, w3c } from './sources.ts'

/** The fetcher truncates headers to this length, so the end of a longer header is unknown. */
const maxKnownLength = 8192

export const securityRules: readonly Rule[] = [
  {
    id: 'security/not-https',
    on: 'responses',
    severity: 'warning',
    finds: 'A public page served over http',
    reason:
      'Others on the network can read and change it, browsers mark it as not secure, and Google prefers https.',
    source: google('secure sites with HTTPS', 'advanced/security/https'),
    find: ({ url }) =>
      when(
        url.protocol === 'http:' && !isOwnMachine(url),
        () => 'The page is served unencrypted. Serve it over https and redirect http to https.',
      ),
  },
  {
    id: 'security/password-insecure',
    severity: 'error',
    finds: 'A password field on a public http page',
    reason: 'Others on the network can read the password.',
    source: mdn('insecure passwords', 'Security/Practical_implementation_guides'),
    find: page =>
      when(
        page.url.protocol === 'http:' && !isOwnMachine(page.url) && passwordsIn(page).length > 0,
        () => 'The page requests a password without encryption. Serve it over https.',
      ),
  },
  {
    id: 'security/hsts-missing',
    on: 'responses',
    severity: 'info',
    needs: 'headers',
    finds: 'An https response without Strict-Transport-Security',
    reason:
      'The first request of a visitor who types the host name uses http, where the redirect can be changed.',
    source: rfc(6797, '6.1', 'Strict-Transport-Security'),
    find: response =>
      when(
        isSecureAnswer(response) && header(response, 'strict-transport-security') === undefined,
        () =>
          'The response does not require https for later visits. If the whole site supports https, send Strict-Transport-Security.',
      ),
  },
  {
    id: 'security/hsts-off',
    on: 'responses',
    severity: 'warning',
    needs: 'headers',
    finds: 'Strict-Transport-Security with max-age=0 or without max-age',
    reason: 'The header then has no effect.',
    source: rfc(6797, '6.1.1', 'max-age'),
    find: response => {
      const stated = header(response, 'strict-transport-security')
      const isOn = stated === undefined || /max-age\s*=\s*"?0*[1-9]/i.test(stated)
      return withSample(
        'The max-age of Strict-Transport-Security disables it. Set a value such as a year (31536000).',
        isOn || !isSecureAnswer(response) ? null : stated,
      )
    },
  },
  {
    id: 'security/nosniff-missing',
    on: 'responses',
    severity: 'info',
    needs: 'headers',
    finds: 'A response without X-Content-Type-Options: nosniff',
    reason: 'Browsers may treat a file as another type than the declared one.',
    source: mdn('X-Content-Type-Options', 'HTTP/Reference/Headers/X-Content-Type-Options'),
    find: response =>
      when(
        response.context.knowsDelivery &&
          isSuccess(response.page.status) &&
          !/^\s*nosniff\b/i.test(header(response, 'x-content-type-options') ?? ''),
        () => 'The response lets browsers guess its type. Send X-Content-Type-Options: nosniff.',
      ),
  },
  {
    id: 'security/framing-allowed',
    severity: 'info',
    needs: 'headers',
    finds: 'A page with a POST form, and neither X-Frame-Options nor frame-ancestors',
    reason: 'Another site can embed the page and trick visitors into clicking its buttons.',
    source: mdn('clickjacking', 'Security/Attacks/Clickjacking'),
    find: page =>
      when(
        page.context.knowsDelivery && takesInput(page) && !forbidsFraming(page),
        () =>
          "The page has a form, and any site can embed it. Send Content-Security-Policy: frame-ancestors 'self'.",
      ),
  },
  {
    id: 'security/frame-options-invalid',
    on: 'responses',
    severity: 'warning',
    needs: 'headers',
    finds: 'X-Frame-Options other than DENY and SAMEORIGIN, and no frame-ancestors',
    reason: 'Browsers ignore it, including ALLOW-FROM.',
    source: rfc(7034, '2.1', 'X-Frame-Options'),
    find: response => {
      const stated = header(response, 'x-frame-options')
      const isRight =
        stated === undefined || /^\s*(?:deny|sameorigin)\s*(?:,\s*(?:deny|sameorigin)\s*)*$/i.test(stated)
      return withSample(
        'X-Frame-Options has a value that browsers ignore. Send DENY, SAMEORIGIN or frame-ancestors.',
        isRight || hasAncestors(response) ? null : stated,
      )
    },
  },
  {
    id: 'security/csp-missing',
    severity: 'info',
    needs: 'headers',
    finds: 'A page with a POST form, and no Content-Security-Policy in header or meta element',
    reason: 'The policy limits the damage of injected scripts.',
    source: w3c('Content Security Policy Level 3', 'TR/CSP3/'),
    find: page =>
      when(
        page.context.knowsDelivery && takesInput(page) && policyOf(page) === null,
        () => 'The page has a form but no Content-Security-Policy. Start with a report-only policy.',
      ),
  },
  {
    id: 'security/referrer-unsafe',
    on: 'responses',
    severity: 'warning',
    needs: 'headers',
    finds: 'Referrer-Policy: unsafe-url',
    reason: 'The browser sends the full URL with its query to other sites, even without encryption.',
    source: w3c('Referrer Policy', 'TR/referrer-policy/#referrer-policy-unsafe-url'),
    find: response =>
      when(
        /(?:^|,)\s*unsafe-url\s*$/i.test(header(response, 'referrer-policy') ?? ''),
        () =>
          'Browsers send full URLs to other sites. Use strict-origin-when-cross-origin, which is the default.',
      ),
  },
]

const header = ({ page }: AuditedResponse, name: string): string | undefined => page.headers[name]

const isSecureAnswer = ({ url, context }: AuditedResponse): boolean =>
  url.protocol === 'https:' && context.knowsDelivery

const passwordsIn = ({ index }: AuditedPage): Entry[] =>
  index.of('input').filter(({ element }) => attribute(element, 'type')?.toLowerCase() === 'password')

/** Search forms contain no input that is worth stealing. */
const takesInput = (page: AuditedPage): boolean =>
  page.index.of('form').some(({ element }) => attribute(element, 'method')?.trim().toLowerCase() === 'post')

/** Returns the policies of the header and of meta elements, which apply together, or null without any. */
export function policyOf(page: AuditedPage): string | null {
  const inPage = page.index
    .of('meta')
    .filter(({ element }) => attribute(element, 'http-equiv')?.toLowerCase() === 'content-security-policy')
  const policies = [header(page, 'content-security-policy') ?? [], inPage.map(contentOf)].flat()
  return policies.length === 0 ? null : policies.join(', ')
}

function hasAncestors(response: AuditedResponse): boolean {
  const policy = header(response, 'content-security-policy') ?? ''
  return /(?:^|[;,])\s*frame-ancestors\b/i.test(policy) || policy.length >= maxKnownLength
}

const forbidsFraming = (page: AuditedPage): boolean =>
  hasAncestors(page) || /deny|sameorigin/i.test(header(page, 'x-frame-options') ?? '')
