/** Rules for unencrypted requests and form targets of https pages. */
import { attribute, hasWord } from '@tidemark/html/tree/attribute'
import type { AuditedPage } from './audited-page.ts'
import type { Entry } from './page-index.ts'
import { among, type Rule } from './rule.ts'
import { policyOf } from './security.ts'
import { w3c } from './sources.ts'

const mixed = w3c('Mixed Content', 'TR/mixed-content/')

export const mixedContentRules: readonly Rule[] = [
  {
    id: 'mixed-content/active',
    severity: 'error',
    finds: 'An https page with scripts, style sheets, frames or objects under http',
    reason: 'Browsers block them.',
    source: mixed,
    find: page =>
      among(insecureIn(page, activeIn(page)), {
        one: 'Browsers block 1 http resource of this page.',
        many: 'Browsers block {n} http resources of this page.',
        remedy: { one: 'Load it over https.', many: 'Load them over https.' },
      }),
  },
  {
    id: 'mixed-content/passive',
    severity: 'warning',
    finds: 'An https page with images, audio or video under http',
    reason: 'Browsers try https instead, and show nothing if that fails.',
    source: mixed,
    find: page =>
      among(insecureIn(page, passiveIn(page)), {
        one: '1 image or medium uses http.',
        many: '{n} images or media use http.',
        remedy: { one: 'Use its https URL.', many: 'Use their https URLs.' },
      }),
  },
  {
    id: 'security/form-insecure',
    severity: 'error',
    finds: 'A form on an https page that is submitted over http',
    reason: 'Others on the network can read the input, and browsers show a warning.',
    source: mixed,
    find: page =>
      among(insecureIn(page, addressesOf(page.index.of('form'), 'action')), {
        one: '1 form is submitted unencrypted.',
        many: '{n} forms are submitted unencrypted.',
        remedy: { one: 'Submit it over https.', many: 'Submit them over https.' },
      }),
  },
]

const addressesOf = (entries: readonly Entry[], name: string): string[] =>
  entries.flatMap(({ element }) => attribute(element, name) ?? [])

/** Returns the http URLs of an https page, or none if the page upgrades all requests to https. */
function insecureIn(page: AuditedPage, addresses: readonly string[]): string[] {
  if (page.url.protocol !== 'https:' || /upgrade-insecure-requests/i.test(policyOf(page) ?? '')) return []
  return addresses.filter(address => /^\s*http:\/\//i.test(address))
}

const activeIn = ({ index }: AuditedPage): string[] => [
  ...addressesOf(index.of('script', 'iframe', 'frame', 'embed'), 'src'),
  ...addressesOf(index.of('object'), 'data'),
  ...addressesOf(
    index.of('link').filter(({ element }) => hasWord(element, 'rel', 'stylesheet')),
    'href',
  ),
]

const passiveIn = ({ index }: AuditedPage): string[] => [
  ...addressesOf(index.of('img', 'audio', 'video', 'source'), 'src'),
  ...addressesOf(index.of('video'), 'poster'),
]
