/** Rules of what a page under https loads from, or sends to, addresses without encryption. */
import { attribute, hasWord } from '@tidemark/html/tree/attribute'
import type { AuditedPage } from './audited-page.ts'
import type { Entry } from './page-index.ts'
import { among, counted, type Rule } from './rule.ts'
import { policyOf } from './security.ts'
import { w3c } from './sources.ts'

const mixed = w3c('Mixed Content', 'TR/mixed-content/')

export const mixedContentRules: readonly Rule[] = [
  {
    id: 'mixed-content/active',
    on: 'pages',
    severity: 'error',
    finds: 'A page under https with scripts, style sheets, frames or objects under http',
    reason: 'Browsers block them.',
    source: mixed,
    find: page =>
      among(
        insecureIn(page, activeIn(page)),
        n =>
          `${counted(n, 'resource')} under http ${n === 1 ? 'is' : 'are'} blocked on this page. Load ${n === 1 ? 'it' : 'them'} under https.`,
        address => address,
      ),
  },
  {
    id: 'mixed-content/passive',
    on: 'pages',
    severity: 'warning',
    finds: 'A page under https with images, audio or video under http',
    reason: 'Browsers try https in its place, and show nothing where that fails.',
    source: mixed,
    find: page =>
      among(
        insecureIn(page, passiveIn(page)),
        n =>
          `${counted(n, 'image or medium', 'images or media')} ${n === 1 ? 'is' : 'are'} named under http. Name ${n === 1 ? 'it' : 'them'} under https.`,
        address => address,
      ),
  },
  {
    id: 'security/form-insecure',
    on: 'pages',
    severity: 'error',
    finds: 'A form of a page under https that is sent to http',
    reason: 'What is entered can be read on the way; browsers warn of it.',
    source: mixed,
    find: page =>
      among(
        insecureIn(page, addressesOf(page.index.of('form'), 'action')),
        n =>
          `${counted(n, 'form')} ${n === 1 ? 'is' : 'are'} sent without encryption. Send ${n === 1 ? 'it' : 'them'} to https.`,
        address => address,
      ),
  },
]

const addressesOf = (entries: readonly Entry[], name: string): string[] =>
  entries.flatMap(({ element }) => attribute(element, name) ?? [])

/** Those under http, of a page under https that does not have all of them loaded under https. */
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
