/** Rules for hreflang: the versions of a page by language and country. */
import type { Alternate } from './alternates.ts'
import { isHreflangCode, primaryOf } from './language-codes.ts'
import { among, type Rule, when } from './rule.ts'
import { google } from './sources.ts'
import { otherCanonicalOf, selfOf } from './stated-canonicals.ts'

const localized = google('localized versions of pages', 'specialty/international/localized-versions')
/** From this number of versions on, visitors with other languages are likely. */
const manyVersions = 3

export const hreflangRules: readonly Rule[] = [
  {
    id: 'hreflang/invalid',
    severity: 'error',
    finds:
      'A code other than a language (ISO 639-1) with optional script and country (ISO 3166-1), or x-default',
    reason: 'The version is not shown to its audience.',
    source: localized,
    find: page =>
      among(
        page.alternates.filter(({ code }) => !isHreflangCode(code)),
        {
          one: 'An hreflang code is not valid.',
          many: '{n} hreflang codes are not valid.',
          remedy: 'Use codes such as en, en-GB or x-default.',
        },
        shown,
      ),
  },
  {
    id: 'hreflang/self-missing',
    severity: 'warning',
    finds: 'Alternates in other languages, without the page itself',
    reason:
      'Each version must list all versions, including itself. Otherwise search engines may ignore the others.',
    source: localized,
    find: page => {
      const { alternates } = page
      const self = selfOf(page)
      const isMissing = alternates.length > 0 && !alternates.some(({ target }) => target === self)
      return when(
        isMissing && otherCanonicalOf(page) === null,
        () =>
          `hreflang lists ${alternates.length} versions, but not this page. Add it with its own language.`,
      )
    },
  },
  {
    id: 'hreflang/duplicate',
    severity: 'warning',
    finds: 'One code for several URLs',
    reason: 'Search engines cannot decide between the URLs.',
    source: localized,
    find: page => {
      const byCode = Map.groupBy(page.alternates, ({ code }) => code.toLowerCase())
      const twice = [...byCode].filter(([, all]) => new Set(all.map(({ target }) => target)).size > 1)
      return among(
        twice,
        {
          one: 'A code has several URLs.',
          many: '{n} codes have several URLs.',
          remedy: 'Keep one URL for each code.',
        },
        ([code, all]) => `${code}: ${Array.from(all.slice(0, 3), ({ href }) => href).join(', ')}`,
      )
    },
  },
  {
    id: 'hreflang/relative',
    severity: 'warning',
    finds: 'An alternate without scheme and host',
    reason: 'Alternates must be absolute URLs with scheme and host.',
    source: localized,
    find: page =>
      among(
        page.alternates.filter(({ href }) => !/^https?:\/\//i.test(href)),
        {
          one: 'An alternate is relative.',
          many: '{n} alternates are relative.',
          remedy: 'Use absolute URLs.',
        },
        shown,
      ),
  },
  {
    id: 'hreflang/x-default-missing',
    on: 'indexed',
    severity: 'info',
    finds: `Versions in ${manyVersions} or more languages without x-default`,
    reason: 'x-default serves visitors whose language is not among the versions.',
    source: localized,
    find: page => {
      const codes = page.alternates.map(({ code }) => code.toLowerCase())
      const languages = new Set(codes.map(primaryOf))
      return when(
        languages.size >= manyVersions && !codes.includes('x-default'),
        () =>
          `The page has versions in ${languages.size} languages, but none for other visitors. Declare one as x-default.`,
      )
    },
  },
  {
    id: 'hreflang/in-body',
    severity: 'error',
    finds: 'An alternate in the body that is not in the head as well',
    reason: 'Search engines ignore alternates after the head. Content such as an image in the head ends it.',
    source: localized,
    find: page => {
      const inHead = new Set(page.alternates.map(identityOf))
      return among(
        page.alternatesInBody.filter(alternate => !inHead.has(identityOf(alternate))),
        {
          one: 'An alternate is in the body, where search engines ignore it.',
          many: '{n} alternates are in the body, where search engines ignore them.',
          remedy: { one: 'Move it to the head.', many: 'Move them to the head.' },
        },
        shown,
      )
    },
  },
  {
    id: 'hreflang/not-canonical',
    severity: 'warning',
    finds: 'Alternates on a page whose canonical is another URL',
    reason:
      'Versions should be canonical themselves. Search engines may ignore the alternates of a page that is not.',
    source: localized,
    find: page =>
      when(
        page.alternates.length > 0 && otherCanonicalOf(page) !== null,
        () =>
          'The page lists its versions, but another URL is canonical. List the versions on the canonical page.',
      ),
  },
  {
    id: 'hreflang/on-noindexed',
    severity: 'warning',
    finds: 'Alternates on a noindex page',
    reason: 'Search engines cannot show a page without an index entry as a version.',
    source: localized,
    find: page =>
      when(
        !page.isIndexed && page.alternates.length > 0,
        () => 'The page lists its versions, but has noindex. Remove one of them.',
      ),
  },
  {
    id: 'hreflang/language-mismatch',
    severity: 'warning',
    finds: 'An alternate for the page itself whose language differs from `<html lang>`',
    reason: 'One of the two is wrong.',
    source: localized,
    find: page => {
      const self = selfOf(page)
      const { lang } = page.facts
      const own = page.alternates.filter(
        ({ target, code }) => target === self && code.toLowerCase() !== 'x-default',
      )
      const isMismatch =
        lang !== null && own.length > 0 && !own.some(({ code }) => primaryOf(code) === primaryOf(lang))
      return isMismatch
        ? among(
            own,
            {
              many: `hreflang and the lang attribute (${lang}) of this page differ.`,
              remedy: 'Correct one of them.',
            },
            shown,
          )
        : null
    },
  },
]

const shown = ({ code, href }: Alternate): string => `${code}: ${href}`

const identityOf = ({ code, target, href }: Alternate): string => `${code.toLowerCase()} ${target ?? href}`
