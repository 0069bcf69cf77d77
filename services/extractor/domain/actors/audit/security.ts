/** Rules of what keeps visitors safe, as far as a page and its answer tell. */
import { attribute } from '@tidemark/html/tree/attribute'
import { isSuccess } from './answer.ts'
import type { Answered, AuditedPage } from './audited-page.ts'
import { isOwnMachine } from './own-machine.ts'
import type { Entry } from './page-index.ts'
import { type Rule, when } from './rule.ts'
import { google, mdn, rfc, w3c } from './sources.ts'

/** What a header is cut to where it is fetched: of a longer one the end is not known. */
const longestKnown = 8192

export const securityRules: readonly Rule[] = [
  {
    id: 'security/not-https',
    on: 'answers',
    severity: 'warning',
    finds: 'A public page under http',
    reason:
      'Everybody on the way can read and change it, browsers call it not secure, and Google prefers https.',
    source: google('secure sites with HTTPS', 'advanced/security/https'),
    find: ({ url }) =>
      when(
        url.protocol === 'http:' && !isOwnMachine(url),
        () => 'The page is served without encryption. Serve it under https and redirect there.',
      ),
  },
  {
    id: 'security/password-insecure',
    on: 'pages',
    severity: 'error',
    finds: 'A field for a password on a public page under http',
    reason: 'Everybody on the way can read it.',
    source: mdn('insecure passwords', 'Security/Practical_implementation_guides'),
    find: page =>
      when(
        page.url.protocol === 'http:' && !isOwnMachine(page.url) && passwordsIn(page).length > 0,
        () => 'A password is asked for without encryption. Serve the page under https.',
      ),
  },
  {
    id: 'security/hsts-missing',
    on: 'answers',
    severity: 'info',
    finds: 'An answer under https without Strict-Transport-Security',
    reason: 'A visitor who types the name comes by http first, where the redirect can be changed.',
    source: rfc(6797, '6.1', 'Strict-Transport-Security'),
    find: answer =>
      when(
        isSecureAnswer(answer) && header(answer, 'strict-transport-security') === undefined,
        () =>
          'Browsers are not told to keep to https. Where all of the site has it, send Strict-Transport-Security.',
      ),
  },
  {
    id: 'security/hsts-off',
    on: 'answers',
    severity: 'warning',
    finds: 'Strict-Transport-Security with max-age=0, or without max-age',
    reason: 'It ends, or never begins, what it is there for.',
    source: rfc(6797, '6.1.1', 'max-age'),
    find: answer => {
      const stated = header(answer, 'strict-transport-security')
      return stated !== undefined && isSecureAnswer(answer) && !/max-age\s*=\s*"?0*[1-9]/i.test(stated)
        ? {
            message:
              'Strict-Transport-Security is switched off by its max-age. State one, such as a year (31536000).',
            samples: [stated],
          }
        : null
    },
  },
  {
    id: 'security/nosniff-missing',
    on: 'answers',
    severity: 'info',
    finds: 'An answer without X-Content-Type-Options: nosniff',
    reason: 'Browsers may take a file for another type than the one it is sent as.',
    source: mdn('X-Content-Type-Options', 'HTTP/Reference/Headers/X-Content-Type-Options'),
    find: answer =>
      when(
        answer.context.knowsDelivery &&
          isSuccess(answer.page.status) &&
          !/^\s*nosniff\b/i.test(header(answer, 'x-content-type-options') ?? ''),
        () => 'The answer lets browsers guess its type. Send X-Content-Type-Options: nosniff.',
      ),
  },
  {
    id: 'security/framing-allowed',
    on: 'pages',
    severity: 'info',
    finds: 'A page with a form that is posted, and neither X-Frame-Options nor frame-ancestors',
    reason: 'Another site can show the page within itself and lead visitors to press its buttons.',
    source: mdn('clickjacking', 'Security/Attacks/Clickjacking'),
    find: page =>
      when(
        page.context.knowsDelivery && takesInput(page) && !forbidsFraming(page),
        () =>
          "The page takes input and may be framed by any site. Send Content-Security-Policy: frame-ancestors 'self'.",
      ),
  },
  {
    id: 'security/frame-options-invalid',
    on: 'answers',
    severity: 'warning',
    finds: 'X-Frame-Options other than DENY and SAMEORIGIN, and no frame-ancestors',
    reason: 'Browsers ignore it, ALLOW-FROM too.',
    source: rfc(7034, '2.1', 'X-Frame-Options'),
    find: answer => {
      const stated = header(answer, 'x-frame-options')
      const isRight =
        stated === undefined || /^\s*(?:deny|sameorigin)\s*(?:,\s*(?:deny|sameorigin)\s*)*$/i.test(stated)
      return isRight || hasAncestors(answer)
        ? null
        : {
            message:
              'X-Frame-Options has a value that browsers ignore. Send DENY, SAMEORIGIN or frame-ancestors.',
            samples: [stated],
          }
    },
  },
  {
    id: 'security/csp-missing',
    on: 'pages',
    severity: 'info',
    finds: 'A page with a form that is posted, and no Content-Security-Policy by header or meta element',
    reason: 'It is the second wall where a text of somebody else turns out to hold a script.',
    source: w3c('Content Security Policy Level 3', 'TR/CSP3/'),
    find: page =>
      when(
        page.context.knowsDelivery && takesInput(page) && policyOf(page) === null,
        () => 'The page takes input and has no Content-Security-Policy. Begin with one that reports only.',
      ),
  },
  {
    id: 'security/referrer-unsafe',
    on: 'answers',
    severity: 'warning',
    finds: 'Referrer-Policy: unsafe-url',
    reason:
      'Each link and resource of another site is told the whole address, its query too, even without encryption.',
    source: w3c('Referrer Policy', 'TR/referrer-policy/#referrer-policy-unsafe-url'),
    find: answer =>
      when(
        /(?:^|,)\s*unsafe-url\s*$/i.test(header(answer, 'referrer-policy') ?? ''),
        () =>
          'Other sites are told whole addresses. Use strict-origin-when-cross-origin, which is the default.',
      ),
  },
]

const header = ({ page }: Answered, name: string): string | undefined => page.headers[name]

const isSecureAnswer = ({ url, context }: Answered): boolean =>
  url.protocol === 'https:' && context.knowsDelivery

const passwordsIn = ({ index }: AuditedPage): Entry[] =>
  index.of('input').filter(({ element }) => attribute(element, 'type')?.toLowerCase() === 'password')

/** A search asks for nothing that could be stolen. */
const takesInput = (page: AuditedPage): boolean =>
  page.index.of('form').some(({ element }) => attribute(element, 'method')?.trim().toLowerCase() === 'post')

/** Null where there is none. */
export function policyOf(page: AuditedPage): string | null {
  const [inPage] = page.index
    .of('meta')
    .filter(({ element }) => attribute(element, 'http-equiv')?.toLowerCase() === 'content-security-policy')
  return (
    header(page, 'content-security-policy') ??
    (inPage === undefined ? null : (attribute(inPage.element, 'content') ?? ''))
  )
}

function hasAncestors(answer: Answered): boolean {
  const policy = header(answer, 'content-security-policy') ?? ''
  return /(?:^|[;,])\s*frame-ancestors\b/i.test(policy) || policy.length >= longestKnown
}

const forbidsFraming = (page: AuditedPage): boolean =>
  hasAncestors(page) || /deny|sameorigin/i.test(header(page, 'x-frame-options') ?? '')
