/** Rules for the declared language of a page. */
import { attribute } from '@tidemark/html/tree/attribute'
import type { AuditedPage } from './audited-page.ts'
import { isLanguageTag, primaryOf } from './language-codes.ts'
import { type Rule, when, withSample } from './rule.ts'
import { html, wcag } from './sources.ts'

const language = wcag('3.1.1 Language of Page', 'language-of-page')

export const languageRules: readonly Rule[] = [
  {
    id: 'lang/missing',
    severity: 'error',
    finds: 'No lang attribute on `<html>`, or an empty one',
    reason: 'Screen readers guess the pronunciation, and browsers guess whether to translate the page.',
    source: language,
    find: page =>
      when(langOf(page) === '', () =>
        htmlAttribute(page, 'xml:lang') === ''
          ? 'The page does not declare its language. Add lang to the html element, such as lang="en".'
          : 'The page declares its language by xml:lang only, which HTML ignores. Add lang.',
      ),
  },
  {
    id: 'lang/invalid',
    severity: 'error',
    finds: 'A lang attribute of `<html>` that is not a language tag (RFC 5646)',
    reason: 'Browsers and screen readers ignore it.',
    source: language,
    find: page => {
      const lang = langOf(page)
      return withSample(
        `"${lang.slice(0, 40)}" is not a language tag. Use a tag such as en or en-GB.`,
        lang !== '' && !isLanguageTag(lang) ? lang : null,
      )
    },
  },
  {
    id: 'lang/xml-mismatch',
    severity: 'warning',
    finds: 'Different languages in lang and xml:lang of `<html>`',
    reason: 'Programs differ in which of them they use.',
    source: html('the lang and xml:lang attributes', 'dom.html#the-lang-and-xml:lang-attributes'),
    find: page => {
      const [lang, xml] = [langOf(page), htmlAttribute(page, 'xml:lang')]
      return when(
        lang !== '' && xml !== '' && primaryOf(lang) !== primaryOf(xml),
        () => `lang is ${lang} and xml:lang is ${xml}. Use the same language in both.`,
      )
    },
  },
]

/** Returns the empty string if the page declares no language. xml:lang counts in XML pages only. */
export const langOf = (page: AuditedPage): string =>
  htmlAttribute(page, 'lang') || (isXml(page) ? htmlAttribute(page, 'xml:lang') : '')

const isXml = ({ page: { contentType } }: AuditedPage): boolean =>
  /^\s*application\/xhtml/i.test(contentType ?? '')

function htmlAttribute({ index }: AuditedPage, name: string): string {
  const [root] = index.of('html')
  return root === undefined ? '' : (attribute(root.element, name) ?? '').trim()
}
