/** Rules of hreflang: which address is for whom, where a page exists in several languages. */
import type { Alternate } from './alternates.ts'
import { effectiveOf, selfOf } from './canonical.ts'
import { isHreflangCode, primaryOf } from './language-codes.ts'
import { among, type Rule, when } from './rule.ts'
import { google } from './sources.ts'

const localized = google('localized versions of pages', 'specialty/international/localized-versions')
/** So many versions that visitors of a language that is not among them are to be expected. */
const manyVersions = 3

export const hreflangRules: readonly Rule[] = [
  {
    id: 'hreflang/invalid',
    on: 'pages',
    severity: 'error',
    finds:
      'A code that is no language (ISO 639-1), perhaps with a script and a country (ISO 3166-1), nor x-default',
    reason: 'The version is not shown to those whom it is for.',
    source: localized,
    find: page =>
      among(
        page.alternates.filter(({ code }) => !isHreflangCode(code)),
        n =>
          `${n === 1 ? 'A code' : `${n} codes`} of hreflang ${n === 1 ? 'is' : 'are'} not valid. Write for example en, en-GB or x-default.`,
        shown,
      ),
  },
  {
    id: 'hreflang/self-missing',
    on: 'pages',
    severity: 'warning',
    finds: 'Alternates in other languages, and the page itself is not among them',
    reason: 'Each version must name all versions, itself too; else the others may be ignored.',
    source: localized,
    find: page => {
      const { alternates } = page
      const self = selfOf(page)
      const [own, stated] = [alternates.some(({ target }) => target === self), effectiveOf(page)]
      const isOther = stated !== null && stated !== self
      return when(
        alternates.length > 0 && !own && !isOther,
        () =>
          `${alternates.length} versions are named by hreflang, but not this page. Add it with its own language.`,
      )
    },
  },
  {
    id: 'hreflang/duplicate',
    on: 'pages',
    severity: 'warning',
    finds: 'One code for several addresses',
    reason: 'Which of them is meant cannot be told.',
    source: localized,
    find: page => {
      const byCode = Map.groupBy(page.alternates, ({ code }) => code.toLowerCase())
      const twice = [...byCode].filter(([, all]) => new Set(all.map(({ target }) => target)).size > 1)
      return among(
        twice,
        n => `${n === 1 ? 'A code names' : `${n} codes name`} several addresses. Name one for each.`,
        ([code, all]) =>
          `${code}: ${all
            .map(({ href }) => href)
            .slice(0, 3)
            .join(', ')}`,
      )
    },
  },
  {
    id: 'hreflang/relative',
    on: 'pages',
    severity: 'warning',
    finds: 'An alternate without scheme and host',
    reason: 'Alternates must be whole addresses, scheme and host included.',
    source: localized,
    find: page =>
      among(
        page.alternates.filter(({ href }) => !/^https?:\/\//i.test(href)),
        n => `${n === 1 ? 'An alternate is' : `${n} alternates are`} relative. State whole addresses.`,
        shown,
      ),
  },
  {
    id: 'hreflang/x-default-missing',
    on: 'indexed',
    severity: 'info',
    finds: `Versions in ${manyVersions} or more languages, and none is x-default`,
    reason: 'x-default is for those whose language is not among the versions.',
    source: localized,
    find: page => {
      const codes = page.alternates.map(({ code }) => code.toLowerCase())
      const languages = new Set(codes.map(primaryOf))
      return when(
        languages.size >= manyVersions && !codes.includes('x-default'),
        () =>
          `${languages.size} languages have a version, and none is for everybody else. Name one as x-default.`,
      )
    },
  },
  {
    id: 'hreflang/not-canonical',
    on: 'pages',
    severity: 'warning',
    finds: 'Alternates on a page whose canonical names another address',
    reason: 'Versions are to be canonical themselves; what a page says that is not may be ignored.',
    source: localized,
    find: page => {
      const stated = effectiveOf(page)
      const isOther = stated !== null && stated !== selfOf(page)
      return when(
        isOther && page.alternates.length > 0,
        () =>
          'The page names its versions, but says that another address is canonical. Name them on the canonical page.',
      )
    },
  },
  {
    id: 'hreflang/on-noindexed',
    on: 'pages',
    severity: 'warning',
    finds: 'Alternates on a page with noindex',
    reason: 'A page that is not indexed is no version that could be shown.',
    source: localized,
    find: page =>
      when(
        !page.isIndexed && page.alternates.length > 0,
        () => 'The page names its versions, but asks not to be indexed itself. Decide for one of them.',
      ),
  },
  {
    id: 'hreflang/language-mismatch',
    on: 'pages',
    severity: 'warning',
    finds: 'An alternate for the page itself whose language is not that of `<html lang>`',
    reason: 'One of the two is wrong.',
    source: localized,
    find: page => {
      const self = selfOf(page)
      const { lang } = page.facts
      const own = page.alternates.filter(
        ({ target, code }) => target === self && code.toLowerCase() !== 'x-default',
      )
      const isTold =
        lang !== null && own.length > 0 && !own.some(({ code }) => primaryOf(code) === primaryOf(lang))
      return isTold
        ? among(
            own,
            () =>
              `hreflang calls this page another language than its lang attribute (${lang}). Mend one of them.`,
            shown,
          )
        : null
    },
  },
]

const shown = ({ code, href }: Alternate): string => `${code}: ${href}`
